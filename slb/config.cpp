// SPDX-License-Identifier: Apache-2.0
#include "slb/config.hpp"

#include <algorithm>
#include <string_view>

#include <unistd.h>

#include "base/net/endpoint_config.hpp"
#include "slb/balance/balancer.hpp"
#include "slb/session/placement.hpp"
#include "wire/diameter/dictionary.hpp"

namespace twinsite::slb {

using base::config::Cursor;
using base::net::Endpoint;
using proxy::Settings;
using std::chrono::milliseconds;

namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view more) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return kLetters.find(c) != kLetters.npos || more.find(c) != more.npos;
    });
}

/// A name of an object of ours: it stands in paths of the API.
std::string parse_name(Cursor at) {
    constexpr std::size_t kLongest = 63;
    auto name = at.value<std::string>();
    if (at.exists() && (name.empty() || name.size() > kLongest || !consists_of(name, "-_.")))
        at.error("must be a name of 1 to 63 letters, digits, '-', '_' or '.'");
    return name;
}

/// A DiameterIdentity (RFC 6733 section 4.3.1): a host or realm name in ASCII.
std::string parse_identity(Cursor at) {
    constexpr std::size_t kLongest = 255;
    auto name = at.value<std::string>();
    const bool good = !name.empty() && name.size() <= kLongest && consists_of(name, "-_.") &&
                      name.front() != '.' && name.back() != '.' &&
                      name.find("..") == std::string::npos;
    if (at.exists() && !good)
        at.error(
            "must be a domain name, for example slb.east.example.net, not '" +
            base::text::printable(name) + "'"
        );
    return name;
}

std::optional<Endpoint> parse_endpoint(Cursor at) {
    const auto endpoint = at.value<Endpoint>();
    if (endpoint.port != 0) return endpoint;
    if (at.exists() && !at.is_map() && !at.is_sequence() &&
        base::net::parse_endpoint(at.value<std::string>()))
        at.error("must have a port from 1 to 65535");
    return std::nullopt;
}

std::string parse_path(Cursor at) {
    auto path = at.value<std::string>();
    if (at.exists() && path.empty()) at.error("must not be empty");
    if (path.empty() || path.front() == '/') return path;
    return at.folder() + "/" + path;
}

std::string parse_one_path(Cursor at, std::string_view key) {
    auto path = parse_path(at.child(key));
    at.finish();
    return path;
}

void parse_identity_map(Cursor at, Settings& out) {
    out.host = parse_identity(at.child("host"));
    out.realm = parse_identity(at.child("realm"));
    at.finish();
}

std::vector<Endpoint> parse_listen(Cursor at) {
    std::vector<Endpoint> out;
    const auto items = at.items();
    if (at.is_sequence() && items.empty()) at.error("must list at least one address");
    for (const auto& item : items) {
        const auto endpoint = parse_endpoint(item);
        if (!endpoint) continue;
        if (std::find(out.begin(), out.end(), *endpoint) != out.end())
            item.error("address " + to_string(*endpoint) + " is given twice");
        out.push_back(*endpoint);
    }
    return out;
}

/// A path that must be there: what may steer must not start half-secured.
std::string parse_file(Cursor at) {
    auto path = parse_path(at);
    if (at.exists() && !path.empty() && ::access(path.c_str(), R_OK) != 0)
        at.error("file '" + path + "' cannot be read");
    return path;
}

void parse_control(Cursor at, Config& out) {
    out.control_socket = parse_path(at.child("socket"));
    auto listen = at.find("listen");
    auto tls = at.find("tls");
    if (listen.has_value() != tls.has_value())
        at.error("'listen' and 'tls' must be there together");
    if (listen && tls) {
        ControlListener listener;
        listener.listen = parse_endpoint(*listen).value_or(Endpoint{});
        listener.certificate = parse_file(tls->child("certificate"));
        listener.key = parse_file(tls->child("key"));
        listener.ca = parse_file(tls->child("ca"));
        if (auto crl = tls->find("crl")) listener.crl = parse_file(*crl);
        tls->finish();
        out.control_listener = std::move(listener);
    }
    at.finish();
}

std::optional<StatusListener> parse_status(std::optional<Cursor> at) {
    if (!at) return std::nullopt;
    StatusListener out;
    out.listen = parse_endpoint(at->child("listen")).value_or(Endpoint{});
    if (auto tls = at->find("tls")) {
        out.certificate = parse_path(tls->child("certificate"));
        out.key = parse_path(tls->child("key"));
        tls->finish();
    }
    at->finish();
    return out;
}

std::vector<std::string> parse_hosts(std::optional<Cursor> at) {
    std::vector<std::string> out;
    if (!at) return out;
    for (auto item : at->items()) {
        auto pattern = item.value<std::string>();
        const bool suffix = pattern.starts_with("*.");
        const auto rest = std::string_view(pattern).substr(suffix ? 2 : 0);
        if (rest.empty() || !consists_of(rest, "-_."))
            item.error("must be a host name or '*.' and a suffix");
        out.push_back(std::move(pattern));
    }
    return out;
}

void parse_clients(std::optional<Cursor> at, Settings& out) {
    if (!at) return;
    out.max_connections = at->in_range("max_connections", 1U, 65'536U, out.max_connections);
    out.client_watchdog =
        at->in_range("watchdog", milliseconds(1'000), milliseconds(600'000), out.client_watchdog);
    out.client_hosts = parse_hosts(at->find("hosts"));
    at->finish();
}

std::vector<std::uint32_t> parse_applications(std::optional<Cursor> at) {
    std::vector<std::uint32_t> out;
    if (!at) return out;
    const auto items = at->items();
    if (at->is_sequence() && items.empty()) at->error("must list 'relay' or application ids");
    for (auto item : items) {
        if (item.value<std::string>() == "relay") {
            if (items.size() > 1) item.error("'relay' means every application: it stands alone");
            return {};
        }
        const auto id = item.value<std::uint32_t>();
        if (id == wire::diameter::application::kBase || id == wire::diameter::application::kRelay)
            item.error("must be 'relay' or the id of an application, for example 4");
        else if (std::find(out.begin(), out.end(), id) != out.end())
            item.error("application " + std::to_string(id) + " is listed twice");
        out.push_back(id);
    }
    return out;
}

void parse_request(std::optional<Cursor> at, Settings& out) {
    if (!at) return;
    out.request_timeout =
        at->in_range("timeout", milliseconds(10), milliseconds(60'000), out.request_timeout);
    out.tries = at->in_range("tries", 1U, 16U, out.tries);
    out.suspect_after =
        at->in_range("suspect_after", milliseconds(10), milliseconds(60'000), out.suspect_after);
    if (out.suspect_after > out.request_timeout)
        at->error(
            "suspect_after (" + base::text::format_duration(out.suspect_after) +
            ") must not be longer than timeout (" +
            base::text::format_duration(out.request_timeout) + ")"
        );
    at->finish();
}

void parse_sessions(std::optional<Cursor> at, Settings& out) {
    if (!at) return;
    constexpr milliseconds kLongest = std::chrono::hours(35);  // half the table's clock
    const auto idle = at->in_range("idle", milliseconds(10'000), kLongest, milliseconds(3'600'000));
    out.session_idle = std::chrono::duration_cast<std::chrono::seconds>(idle);
    out.session_capacity = at->in_range(
        "capacity", std::size_t{1'000}, std::size_t{100'000'000}, out.session_capacity
    );
    at->finish();
}

void parse_reconnect(std::optional<Cursor> at, Settings& out) {
    if (!at) return;
    out.reconnect_min =
        at->in_range("min", milliseconds(1), milliseconds(60'000), out.reconnect_min);
    out.reconnect_max =
        at->in_range("max", milliseconds(1), milliseconds(600'000), out.reconnect_max);
    if (out.reconnect_min > out.reconnect_max) at->error("min must not be longer than max");
    at->finish();
}

void parse_blade_link(std::optional<Cursor> at, Settings& out) {
    if (!at) return;
    out.blade_watchdog =
        at->in_range("watchdog", milliseconds(1'000), milliseconds(600'000), out.blade_watchdog);
    parse_reconnect(at->find("reconnect"), out);
    if (auto bind = at->find("bind")) out.blade_bind = bind->value<base::text::IpAddress>();
    at->finish();
}

void check_blade(const Cursor& at, const proxy::BladeSettings& blade, const Settings& settings) {
    for (const auto& other : settings.blades) {
        if (other.name == blade.name) at.error("blade '" + blade.name + "' is given twice");
        if (other.address == blade.address)
            at.error(
                "address " + to_string(blade.address) + " is already that of '" + other.name + "'"
            );
    }
    const auto& own = settings.listen;
    if (std::find(own.begin(), own.end(), blade.address) != own.end())
        at.error("address " + to_string(blade.address) + " is our own: requests would go round");
}

void parse_blades(std::optional<Cursor> at, Settings& out) {
    constexpr std::size_t kMost = 1000;
    if (!at) return;
    const auto items = at->items();
    if (items.size() > kMost) at->error("must list at most " + std::to_string(kMost) + " blades");
    for (auto item : items) {
        proxy::BladeSettings blade;
        blade.name = parse_name(item.child("name"));
        const auto address = parse_endpoint(item.child("address"));
        item.finish();
        if (!address || blade.name.empty()) continue;
        blade.address = *address;
        check_blade(item, blade, out);
        out.blades.push_back(std::move(blade));
    }
}

}  // namespace

Config parse_config(Cursor root) {
    Config out;
    auto& proxy = out.proxy;
    out.node = parse_name(root.child("node"));
    parse_identity_map(root.child("identity"), proxy);
    proxy.listen = parse_listen(root.child("listen"));
    parse_control(root.child("control"), out);
    out.status = parse_status(root.find("status"));
    if (out.status && out.control_listener && out.status->listen == out.control_listener->listen)
        root.child("status").error(
            "address " + to_string(out.status->listen) + " is that of control"
        );
    out.state_directory = parse_one_path(root.child("state"), "directory");
    parse_clients(root.find("clients"), proxy);
    proxy.applications = parse_applications(root.find("applications"));
    parse_request(root.find("request"), proxy);
    proxy.pending_per_blade =
        root.in_range("pending_per_blade", 1U, 65'536U, proxy.pending_per_blade);
    parse_sessions(root.find("sessions"), proxy);
    const auto names = balance::balancer_names();
    proxy.balance = names[root.one_of("balance", names, 0)];
    parse_blade_link(root.find("blade_link"), proxy);
    parse_blades(root.find("blades"), proxy);
    root.finish();
    return out;
}

std::string needs_restart(const Config& running, const Config& fresh) {
    if (running.proxy.host != fresh.proxy.host) return "$.identity.host";
    if (running.proxy.realm != fresh.proxy.realm) return "$.identity.realm";
    if (running.proxy.applications != fresh.proxy.applications) return "$.applications";
    if (running.control_socket != fresh.control_socket) return "$.control.socket";
    if (running.control_listener != fresh.control_listener) return "$.control.listen";
    if (running.status != fresh.status) return "$.status";
    if (running.state_directory != fresh.state_directory) return "$.state.directory";
    return "";
}

}  // namespace twinsite::slb
