// SPDX-License-Identifier: Apache-2.0
#include "gslb/config.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/net/endpoint_config.hpp"
#include "gslb/config_parts.hpp"

namespace twinsite::gslb {

using base::config::Cursor;
using std::chrono::milliseconds;

namespace config_parts {

std::string parse_name_of(Cursor& item, std::set<std::string>& taken) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    constexpr std::size_t kLongest = 63;
    auto at = item.child("name");
    auto name = at.value<std::string>();
    if (!at.exists()) return name;
    if (name.empty() || name.size() > kLongest ||
        name.find_first_not_of(kAllowed) != std::string::npos)
        at.error(
            "must be a name of 1 to 63 letters, digits, '-', '_' or '.', not '" +
            base::text::printable(name) + "'"
        );
    else if (!taken.insert(name).second)
        at.error("name '" + name + "' is given twice");
    return name;
}

std::optional<base::net::Endpoint> parse_endpoint_at(Cursor at) {
    const auto endpoint = at.value<base::net::Endpoint>();
    if (endpoint.port != 0) return endpoint;
    if (at.exists() && !at.is_map() && !at.is_sequence() &&
        base::net::parse_endpoint(at.value<std::string>()))
        at.error("must have a port from 1 to 65535");
    return std::nullopt;
}

wire::dns::Name parse_dns_name(Cursor at) {
    const auto text = at.value<std::string>();
    if (!at.exists()) return {};
    if (const auto name = wire::dns::parse_name(text)) return *name;
    at.error("must be a domain name, not '" + base::text::printable(text) + "'");
    return {};
}

std::string resolved(const Cursor& at, const std::string& path) {
    const auto folder = at.folder();
    if (path.empty() || path.front() == '/' || folder == ".") return path;
    return folder + "/" + path;
}

Names::Names(std::vector<std::string> names) : list_(std::move(names)) {
    for (std::size_t i = 0; i < list_.size(); ++i) places_.emplace(list_[i], i);
}

std::optional<std::size_t> Names::find(const std::string& name) const {
    const auto place = places_.find(name);
    if (place == places_.end()) return std::nullopt;
    return place->second;
}

std::optional<std::size_t> parse_reference(Cursor at, std::string_view what, const Names& known) {
    if (!at.exists()) return std::nullopt;
    // Without any name (the list itself is wrong) each use would be a finding that says nothing.
    if (known.list().empty() && what == "site") return std::nullopt;
    const auto name = at.value<std::string>();
    const auto place = known.find(name);
    if (!place) at.unknown(what, name, known.list());
    return place;
}

steering::SiteOrder parse_site_order(Cursor list, const Names& sites) {
    steering::SiteOrder out;
    for (auto& item : list.items()) {
        const auto index = parse_reference(item, "site", sites);
        if (!index) continue;
        const auto site = static_cast<steering::SiteIndex>(*index);
        if (std::find(out.begin(), out.end(), site) != out.end())
            item.error("site '" + sites.list()[site] + "' is listed twice");
        else
            out.push_back(site);
    }
    return out;
}

}  // namespace config_parts

namespace {

using namespace config_parts;

void require_readable(const Cursor& at, const std::string& path) {
    if (at.exists() && ::access(path.c_str(), R_OK) != 0)
        at.error("file '" + path + "' cannot be read");
}

std::string parse_file(Cursor& item, std::string_view key) {
    auto at = item.child(key);
    const auto path = resolved(at, at.value<std::string>());
    require_readable(at, path);
    return path;
}

std::string parse_node(Cursor at) {
    const auto name = at.value<std::string>();
    if (at.exists() && name.empty()) at.error("must not be empty");
    return name;
}

std::vector<std::string> parse_sites(Cursor at) {
    constexpr std::size_t kMost = 1000;
    std::vector<std::string> out;
    const auto items = at.items();
    if (at.is_sequence() && (items.empty() || items.size() > kMost))
        at.error("must list between 1 and " + std::to_string(kMost) + " sites");
    for (auto item : items) {
        const auto name = item.value<std::string>();
        if (name.empty() || name.find_first_of(":/, \t#") != std::string::npos)
            item.error("must be a site's name without blanks, ':', '/', ',' and '#'");
        else if (std::find(out.begin(), out.end(), name) != out.end())
            item.error("name '" + name + "' is given twice");
        else
            out.push_back(name);
    }
    return out;
}

bool is_wildcard(const base::text::IpAddress& address) {
    return address == base::text::IpAddress{address.family, {}};
}

/// Whether the kernel refuses to bind both: the same port of one family, and the same address or a
/// wildcard. (0.0.0.0 and :: do not clash: we bind IPv6 sockets to IPv6 alone.)
bool clash(const base::net::Endpoint& a, const base::net::Endpoint& b) {
    if (a.port != b.port || a.address.family != b.address.family) return false;
    return a.address == b.address || is_wildcard(a.address) || is_wildcard(b.address);
}

std::vector<base::net::Endpoint> parse_listen(Cursor at) {
    std::vector<base::net::Endpoint> out;
    const auto items = at.items();
    if (at.is_sequence() && items.empty()) at.error("must list at least one address");
    for (const auto& item : items) {
        const auto endpoint = parse_endpoint_at(item);
        if (!endpoint) continue;
        const bool multicast = endpoint->address.family == base::text::Family::v4
                                   ? endpoint->address.bytes[0] >= 224
                                   : endpoint->address.bytes[0] == 255;
        if (multicast) item.error("must be a unicast address");
        const auto other = std::find_if(out.begin(), out.end(), [&](const auto& earlier) {
            return clash(earlier, *endpoint);
        });
        if (other != out.end())
            item.error(
                "address " + to_string(*endpoint) +
                (*other == *endpoint ? " is given twice" : " overlaps " + to_string(*other))
            );
        out.push_back(*endpoint);
    }
    return out;
}

TcpConfig parse_tcp(std::optional<Cursor> at) {
    TcpConfig out;
    if (!at) return out;
    out.idle = at->in_range("idle", milliseconds(1000), milliseconds(600'000), out.idle);
    out.max_connections = at->in_range("max_connections", 1U, 1'000'000U, out.max_connections);
    at->finish();
    return out;
}

std::string parse_socket(Cursor socket) {
    constexpr std::size_t kLongestSocketPath = 107;  // sun_path of unix(7), less its NUL
    auto path = resolved(socket, socket.value<std::string>());
    if (socket.exists() && (path.empty() || path.size() > kLongestSocketPath))
        socket.error(
            "must be a path of 1 to 107 bytes, not " + std::to_string(path.size()) + " ('" + path +
            "')"
        );
    return path;
}

/// `dns` are the addresses that serve DNS; an address that clashes with one of them is a finding.
base::net::Endpoint parse_own_place(Cursor at, const std::vector<base::net::Endpoint>& dns) {
    const auto out = parse_endpoint_at(at).value_or(base::net::Endpoint{});
    const auto other = std::find_if(dns.begin(), dns.end(), [&](const auto& endpoint) {
        return clash(endpoint, out);
    });
    if (other != dns.end()) at.error("address " + to_string(*other) + " already serves DNS");
    return out;
}

void parse_control(Cursor at, Config& out) {
    out.control_socket = parse_socket(at.child("socket"));
    auto listen = at.find("listen");
    auto tls = at.find("tls");
    // Never one without the other: the listener may steer, so it must know who comes.
    if (listen.has_value() != tls.has_value())
        at.error("'listen' and 'tls' must be there together");
    if (listen && tls) {
        ControlListener listener;
        listener.listen = parse_own_place(*listen, out.listen);
        listener.tls.certificate = parse_file(*tls, "certificate");
        listener.tls.key = parse_file(*tls, "key");
        listener.ca = parse_file(*tls, "ca");
        if (tls->find("crl")) listener.crl = parse_file(*tls, "crl");
        tls->finish();
        out.control_listener = std::move(listener);
    }
    at.finish();
}

std::optional<StatusConfig> parse_status(std::optional<Cursor> at, const Config& config) {
    if (!at) return std::nullopt;
    StatusConfig out;
    auto listen = at->child("listen");
    out.listen = parse_own_place(listen, config.listen);
    if (config.control_listener && clash(config.control_listener->listen, out.listen))
        listen.error(
            "address " + to_string(config.control_listener->listen) + " is that of control"
        );
    if (auto tls = at->find("tls")) {
        TlsFiles files;
        files.certificate = parse_file(*tls, "certificate");
        files.key = parse_file(*tls, "key");
        tls->finish();
        out.tls = files;
    }
    at->finish();
    return out;
}

std::string parse_state(Cursor at) {
    auto directory = at.child("directory");
    auto path = resolved(directory, directory.value<std::string>());
    if (directory.exists() && path.empty()) directory.error("must not be empty");
    at.finish();
    return path;
}

void parse_zones(Cursor at, Config& out, ConfigPlaces* places) {
    const auto items = at.items();
    if (at.is_sequence() && items.empty()) at.error("must list at least one zone");
    for (auto item : items) {
        ZoneConfig zone;
        auto name = item.child("name");
        zone.origin = parse_dns_name(name);
        if (zone.origin.is_wildcard()) name.error("a zone's name cannot begin with '*'");
        const auto same = [&](const ZoneConfig& other) { return other.origin == zone.origin; };
        if (name.exists() && std::any_of(out.zones.begin(), out.zones.end(), same))
            name.error("zone '" + zone.origin.to_string() + "' is given twice");
        auto file = item.child("file");
        zone.file = resolved(file, file.value<std::string>());
        require_readable(file, zone.file);
        item.finish();
        out.zones.push_back(std::move(zone));
        if (places) places->zone_files.push_back(file);
    }
}

void parse_http(Cursor& item, CheckConfig& check) {
    if (auto path = item.find("path")) {
        check.path = path->value<std::string>();
        if (!check.path.starts_with('/') ||
            check.path.find_first_of(" \t\r\n") != std::string::npos)
            path->error("must begin with '/' and hold no blanks");
    }
    check.host = item.optional("host", check.host);
    if (auto status = item.find("expect_status")) {
        check.expect_status.clear();
        for (auto code : status->items()) {
            check.expect_status.push_back(code.value<unsigned>());
            if (check.expect_status.back() < 100 || check.expect_status.back() > 599)
                code.error("must be an HTTP status between 100 and 599");
        }
        if (status->is_sequence() && check.expect_status.empty())
            status->error("must list at least one status");
    }
}

CheckConfig parse_check(Cursor& item, std::set<std::string>& taken) {
    CheckConfig check;
    check.name = parse_name_of(item, taken);
    const auto known = item.child("type").value<std::string>();
    const bool is_tcp = item.one_of("type", {"tcp", "http"}, 0) == 0 && known == "tcp";
    check.kind = is_tcp ? health::Kind::tcp : health::Kind::http;
    item.child("port");
    check.port = static_cast<std::uint16_t>(item.in_range("port", 1, 65'535, 1));
    if (is_tcp) {
        for (const auto* key : {"path", "host", "expect_status"})
            if (auto at = item.find(key)) at->error("has no meaning for a check of type tcp");
    } else {
        parse_http(item, check);
    }
    check.interval =
        item.in_range("interval", milliseconds(100), milliseconds(3'600'000), check.interval);
    check.timeout = check.interval / 2;
    if (auto timeout = item.find("timeout")) {
        check.timeout = timeout->value<milliseconds>();
        if (check.timeout < milliseconds(10) || check.timeout > check.interval)
            timeout->error(
                "must be between 10ms and the interval of " +
                base::text::format_duration(check.interval)
            );
    }
    constexpr std::uint32_t kMost = 1000;
    auto& thresholds = check.thresholds;
    thresholds.up = item.in_range("up_threshold", 1U, kMost, thresholds.up);
    thresholds.ok = item.in_range("ok_threshold", 1U, kMost, thresholds.ok);
    thresholds.down = item.in_range("down_threshold", 1U, kMost, thresholds.down);
    item.finish();
    return check;
}

void parse_checks(std::optional<Cursor> at, Config& out) {
    if (!at) return;
    std::set<std::string> taken;
    for (auto item : at->items()) out.checks.push_back(parse_check(item, taken));
}

}  // namespace

Config parse_config(Cursor at, ConfigPlaces* places) {
    Config out;
    out.node = parse_node(at.child("node"));
    out.steering.sites = parse_sites(at.child("sites"));
    auto site = at.child("site");
    if (const auto index = parse_reference(site, "site", Names(out.steering.sites)))
        out.site = out.steering.sites[*index];
    out.listen = parse_listen(at.child("listen"));
    out.workers = at.in_range("workers", 1U, 64U, out.workers);
    out.udp_payload_bytes = at.in_range("udp_payload_bytes", 512, 4096, out.udp_payload_bytes);
    out.tcp = parse_tcp(at.find("tcp"));
    parse_control(at.child("control"), out);
    out.status = parse_status(at.find("status"), out);
    out.state_directory = parse_state(at.child("state"));
    parse_zones(at.child("zones"), out, places);
    if (auto networks = at.find("networks")) parse_networks(*networks, out, places);
    parse_checks(at.find("checks"), out);
    if (auto services = at.find("services")) parse_services(*services, out);
    if (auto steered = at.find("steered")) parse_steered(*steered, out, places);
    at.finish();
    return out;
}

}  // namespace twinsite::gslb
