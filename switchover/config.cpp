// SPDX-License-Identifier: Apache-2.0
#include "switchover/config.hpp"

#include <algorithm>

#include "base/net/endpoint_config.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::switchover {
namespace {

using base::config::Cursor;
using base::net::Endpoint;
using std::chrono::hours;
using std::chrono::milliseconds;

// An agent that says it reports less often than this many times the usual interval is silent after
// it all the same: what it claims must not hide the loss of a site.
constexpr int kLongestIntervals = 3;

/// A file or folder; relative ones stand beside the configuration.
std::string parse_path(Cursor at) {
    auto path = at.value<std::string>();
    if (at.exists() && path.empty()) at.error("must not be empty");
    if (path.empty() || path.front() == '/') return path;
    return at.folder() + "/" + path;
}

TlsFiles parse_tls(Cursor at) {
    TlsFiles out;
    out.certificate = parse_path(at.child("certificate"));
    out.key = parse_path(at.child("key"));
    out.ca = parse_path(at.child("ca"));
    if (auto crl = at.find("crl")) out.crl = parse_path(*crl);
    at.finish();
    return out;
}

Endpoint parse_listen(Cursor& at) {
    auto listen = at.child("listen");
    return listen.value<Endpoint>();
}

MachineConfig parse_machine(Cursor at) {
    MachineConfig out;
    out.listen = parse_listen(at);
    out.tls = parse_tls(at.child("tls"));
    out.max_connections = at.in_range("max_connections", 16U, 100'000U, out.max_connections);
    at.finish();
    return out;
}

ConsoleConfig parse_console(Cursor at) {
    ConsoleConfig out;
    out.listen = parse_listen(at);
    auto tls = at.child("tls");
    out.certificate = parse_path(tls.child("certificate"));
    out.key = parse_path(tls.child("key"));
    tls.finish();
    out.assets = parse_path(at.child("assets"));
    at.finish();
    return out;
}

SigningConfig parse_signing(Cursor at) {
    SigningConfig out;
    out.certificate = parse_path(at.child("certificate"));
    out.key = parse_path(at.child("key"));
    at.finish();
    return out;
}

std::vector<std::string> names_of(const std::vector<model::Controlled>& members) {
    std::vector<std::string> out;
    for (const auto& member : members) out.push_back(member.name);
    return out;
}

std::vector<std::string> names_of(const std::vector<model::Site>& sites) {
    std::vector<std::string> out;
    for (const auto& site : sites) out.push_back(site.name);
    return out;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

DnsPlace parse_dns_place(const std::string& site, Cursor at) {
    DnsPlace out;
    out.site = site;
    for (auto& item : at.child("answers").items())
        out.answers.push_back(item.value<base::text::IpAddress>());
    if (auto clients = at.find("clients")) out.clients = clients->value<base::text::IpPrefix>();
    at.finish();
    return out;
}

void parse_dns(Cursor at, Config& into) {
    const auto gslbs = names_of(into.plan.gslbs);
    const auto sites = names_of(into.plan.sites);
    if (auto servers = at.find("servers"))
        for (auto& [name, value] : servers->entries()) {
            if (!contains(gslbs, name)) value.unknown("gslb", name, gslbs);
            into.dns_servers[name] = value.value<Endpoint>();
        }
    if (auto places = at.find("sites"))
        for (auto& [name, value] : places->entries()) {
            if (!contains(sites, name)) value.unknown("site", name, sites);
            into.dns_places.push_back(parse_dns_place(name, value));
        }
    at.finish();
}

HistoryConfig parse_history(Cursor at) {
    HistoryConfig out;
    out.keep = at.in_range("keep", milliseconds(hours(1)), milliseconds(hours(24 * 365)), out.keep);
    out.max_mib = at.in_range("max_mib", 16U, 1'000'000U, out.max_mib);
    at.finish();
    return out;
}

ScenariosConfig parse_scenarios(Cursor at) {
    ScenariosConfig out;
    out.directory = parse_path(at.child("directory"));
    out.report_interval = at.in_range(
        "report_interval", milliseconds(100), milliseconds(600'000), out.report_interval
    );
    out.dns_tail = at.in_range("dns_tail", milliseconds(0), milliseconds(hours(1)), out.dns_tail);
    at.finish();
    return out;
}

}  // namespace

std::string Config::identity() const {
    return wire::contract::to_uri({plan.site, "switchover", plan.node});
}

Config parse_config(Cursor at, ConfigPlaces* places) {
    Config out;
    out.plan = model::parse_plan(at);
    out.machine = parse_machine(at.child("machine"));
    if (auto console = at.find("console")) out.console = parse_console(*console);
    out.signing = parse_signing(at.child("signing"));
    auto client = at.find("client");
    out.client = client ? parse_tls(*client) : out.machine.tls;
    auto state = at.child("state");
    out.state_directory = parse_path(state.child("directory"));
    state.finish();
    if (auto rules = at.find("judge")) out.rules = judge::parse_rules(*rules);
    if (auto dns = at.find("dns")) parse_dns(*dns, out);
    if (auto history = at.find("history")) out.history = parse_history(*history);
    auto scenarios = at.child("scenarios");
    out.scenarios = parse_scenarios(scenarios);
    out.rules.longest_interval = out.scenarios.report_interval * kLongestIntervals;
    if (auto first = at.find("first_password")) {
        out.first_password_file = parse_path(first->child("file"));
        first->finish();
    }
    at.finish();
    if (places != nullptr) places->scenarios = scenarios;
    return out;
}

}  // namespace twinsite::switchover
