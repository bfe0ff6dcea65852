// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/probe_config.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "base/net/endpoint_config.hpp"
#include "probe/charging.hpp"
#include "probe/dns.hpp"
#include "probe/http.hpp"
#include "probe/tcp.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor::site {
namespace {

using base::config::Cursor;
using base::net::Endpoint;
using std::chrono::milliseconds;
using Kind = ProbeConfig::Kind;

const std::vector<std::string> kKinds = {"tcp", "http", "dns", "charging"};

/// "site:east" or "service:ocs"
bool is_subject(std::string_view text) {
    for (const std::string_view kind : {"site:", "service:"})
        if (text.starts_with(kind)) return wire::contract::is_word(text.substr(kind.size()));
    return false;
}

std::string parse_word(Cursor at) {
    auto out = at.value<std::string>();
    if (at.exists() && !wire::contract::is_word(out)) at.error("must be 1 to 63 of a-z, 0-9 and -");
    return out;
}

void parse_charging(Cursor& at, ProbeConfig& out) {
    out.question = at.required<std::string>("question");
    auto servers = at.child("servers");
    if (servers.exists())
        for (auto& item : servers.items()) out.servers.push_back(item.value<Endpoint>());
    if (servers.exists() && out.servers.empty()) servers.error("must name a name server");
    out.port = at.in_range("port", 1, 65535, out.port);
    out.realm = at.required<std::string>("realm");
}

}  // namespace

std::string_view to_string(Kind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

ProbeConfig parse_probe(Cursor at) {
    ProbeConfig out;
    out.name = parse_word(at.child("name"));
    if (!at.find("kind")) at.error("missing key 'kind'");
    out.kind = static_cast<Kind>(at.one_of("kind", kKinds, 0));
    auto subject = at.child("subject");
    out.subject = subject.value<std::string>();
    if (subject.exists() && !is_subject(out.subject))
        subject.error("must be site:NAME or service:NAME");
    if (auto view = at.find("view")) out.view = parse_word(*view);
    out.interval = at.in_range("interval", milliseconds(100), std::chrono::hours(1), out.interval);
    out.timeout = at.in_range(
        "timeout", milliseconds(10), std::chrono::minutes(1), std::min(out.timeout, out.interval)
    );
    if (auto bind = at.find("bind")) out.bind = bind->value<base::text::IpAddress>();
    if (out.kind != Kind::charging) out.address = at.required<Endpoint>("address");
    if (out.kind == Kind::http) out.path = at.optional<std::string>("path", out.path);
    if (out.kind == Kind::dns) out.question = at.required<std::string>("question");
    if (out.kind == Kind::charging) parse_charging(at, out);
    at.finish();
    return out;
}

std::unique_ptr<probe::Probe> make_probe(const ProbeConfig& config, const std::string& node) {
    switch (config.kind) {
        case Kind::tcp:
            return std::make_unique<probe::TcpProbe>(
                probe::TcpProbe::Settings{config.address, config.bind}
            );
        case Kind::http: {
            probe::HttpProbe::Settings settings;
            settings.target = config.address;
            settings.source = config.bind;
            settings.path = config.path;
            return std::make_unique<probe::HttpProbe>(std::move(settings));
        }
        case Kind::dns:
            return std::make_unique<probe::DnsProbe>(
                probe::DnsProbe::Settings{config.address, config.bind, config.question}
            );
        case Kind::charging:
            break;
    }
    probe::ChargingProbe::Settings settings;
    settings.question = config.question;
    settings.servers = config.servers;
    settings.source = config.bind;
    settings.port = config.port;
    settings.origin_host = config.name + "." + node + "." + config.realm;
    settings.origin_realm = config.realm;
    settings.destination_realm = config.realm;
    return std::make_unique<probe::ChargingProbe>(std::move(settings), std::random_device()());
}

}  // namespace twinsite::monitor::site
