// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/control_configuration.hpp"

#include <array>

namespace twinsite::cli::demo {
namespace {

constexpr std::string_view kHead =
    "# Written by `twinsite demo start`; written anew at each start.\n";

/// In the demo a second is long: a site counts as lost 3 s after the last sign of life.
constexpr std::string_view kInterval = "1s";

struct Words {
    std::string_view site;
    std::string_view en;
    std::string_view zh;
    std::string_view clients;  ///< A network whose nearest site this is.
};
constexpr std::array<Words, 2> kWords = {
    Words{"east", "East", "东站点", "10.1.0.0/16"},
    Words{"west", "West", "西站点", "10.2.0.0/16"},
};

std::string endpoint(const std::string& address, std::uint16_t port) {
    return address + ":" + std::to_string(port);
}

// Extended regular expressions: a folder's name may hold any character.
std::string quoted_regex(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\.[]{}()*+?^$|").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

// Single quotes in YAML: doubled inside.
std::string yaml_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

std::string process_line(const std::string& name, const std::string& regex) {
    return "    - {name: " + name + ", match: {cmdline: " + yaml_quoted(regex) + "}}\n";
}

std::string process_lines(const Layout& layout, const Part& agent) {
    std::string out;
    for (const auto& part : layout.parts()) {
        if (part.site != agent.site) continue;
        const bool here = short_name(agent) == kInterfaceMachine
                              ? part.kind == Kind::slb || part.kind == Kind::gslb
                              : part.kind == Kind::blade;
        if (!here) continue;
        const auto regex =
            part.kind == Kind::blade
                ? ".*twinsite-blade --listen " + quoted_regex(endpoint(part.address, part.port)) +
                      " .*"
                : ".*twinsite-.* --config " + quoted_regex(layout.configuration(part).string());
        out += process_line(part.name, regex);
    }
    return out;
}

std::string servers_line(const Layout& layout, const std::string& relay) {
    std::string out = "servers: [";
    if (!relay.empty()) out += relay + ", ";
    return out + endpoint(layout.switchover_address(), kMachinePort) + "]\n";
}

// From the monitor's own address: a cut of its links must show.
std::string site_probes(const Layout& layout, const Part& monitor, std::string_view site) {
    const std::string name(site);
    const std::string tail = ", bind: " + monitor.address + ", interval: 1s, timeout: 500ms}\n";
    return "  - {name: " + name + "-slb, kind: http, subject: 'site:" + name +
           "', address: " + endpoint(layout.slb_address(site), kStatusPort) + ", path: /readyz" +
           tail + "  - {name: " + name + "-dns, kind: dns, subject: 'site:" + name +
           "', address: " + endpoint(layout.gslb_address(site), kDnsPort) +
           ", question: " + std::string(kServiceName) + tail;
}

// As a client of the site would: its own name server first, then the other one.
std::string charging_probe(const Layout& layout, std::string_view site) {
    const auto other = site == kSites[0] ? kSites[1] : kSites[0];
    const auto client = client_address(site);
    const auto source = client.substr(0, client.rfind('.')) + ".9";
    return "  - {name: ocs-as-" + std::string(site) + ", kind: charging, subject: 'service:ocs'" +
           ", view: " + std::string(site) + ", question: " + std::string(kServiceName) +
           ", servers: ['" + endpoint(layout.gslb_address(site), kDnsPort) + "', '" +
           endpoint(layout.gslb_address(other), kDnsPort) + "'], bind: " + source +
           ", port: " + std::to_string(kDiameterPort) +
           ", realm: example.net, interval: 500ms, timeout: 900ms}\n";
}

std::string members(const Layout& layout, Kind kind) {
    std::string out;
    for (const auto& part : layout.parts())
        if (part.kind == kind)
            out += "  - {name: " + part.name + ", site: " + part.site +
                   ", control: " + endpoint(part.address, kControlPort) + "}\n";
    return out;
}

std::string plan(const Layout& layout) {
    std::string out = "sites:\n";
    for (const auto& words : kWords)
        out += "  - {name: " + std::string(words.site) + ", title: {en: " + std::string(words.en) +
               ", zh: " + std::string(words.zh) + "}}\n";
    out += "agents:\n";
    for (const auto& part : layout.parts())
        if (part.kind == Kind::agent)
            out += "  - {site: " + part.site + ", name: " + short_name(part) + ", kind: " +
                   (short_name(part) == kInterfaceMachine ? "interface" : "processing") + "}\n";
    out += "monitors:\n";
    for (const auto& part : layout.parts())
        if (part.kind == Kind::monitor)
            out += "  - {site: " + part.site + ", name: " + part.name + "}\n";
    out += "gslbs:\n" + members(layout, Kind::gslb);
    out += "slbs:\n" + members(layout, Kind::slb);
    out += "services:\n  - {name: ocs, title: {en: Online charging, zh: 在线计费}}\n";
    return out;
}

std::string dns_part(const Layout& layout) {
    std::string out = "dns:\n  servers:\n";
    for (const auto& part : layout.parts())
        if (part.kind == Kind::gslb)
            out += "    " + part.name + ": '" + endpoint(part.address, kDnsPort) + "'\n";
    out += "  sites:\n";
    for (const auto& words : kWords)
        out += "    " + std::string(words.site) + ": {answers: [" + layout.slb_address(words.site) +
               "], clients: " + std::string(words.clients) + "}\n";
    return out;
}

}  // namespace

std::string tls_files(const std::string& name) {
    return "{certificate: ../pki/" + name + ".crt, key: ../pki/" + name +
           ".key, ca: ../pki/ca.crt, crl: ../pki/crl.pem}";
}

std::string agent_yaml(const Layout& layout, const Part& part) {
    std::string out(kHead);
    out += "role: agent\n";
    out += "node: " + short_name(part) + "\n";
    out += "site: " + part.site + "\n";
    out += short_name(part) == kInterfaceMachine ? "kind: interface\n" : "kind: processing\n";
    out += "interval: " + std::string(kInterval) + "\n";
    out += servers_line(layout, endpoint(layout.monitor_address(part.site), kReportPort));
    out += "bind: " + part.address + "\n";
    out += "tls: " + tls_files(part.name) + "\n";
    out += "state: {directory: ../state/" + part.name + "}\n";
    out += "socket: ../run/" + part.name + ".sock\n";
    out += "collect:\n  disks: {include: [/]}\n  processes:\n" + process_lines(layout, part);
    return out;
}

std::string monitor_yaml(const Layout& layout, const Part& part) {
    std::string out(kHead);
    out += "role: site\n";
    out += "node: " + part.name + "\n";
    out += "site: " + part.site + "\n";
    out += "interval: " + std::string(kInterval) + "\n";
    out += servers_line(layout, "");
    out += "listen: " + endpoint(part.address, part.port) + "\n";
    out += "bind: " + part.address + "\n";
    out += "tls: " + tls_files(part.name) + "\n";
    out += "state: {directory: ../state/" + part.name + "}\n";
    out += "socket: ../run/" + part.name + ".sock\n";
    out += "probes:\n";
    for (const auto site : kSites)
        if (site != part.site) out += site_probes(layout, part, site);
    if (part.site == kArbiter)
        for (const auto site : kSites) out += charging_probe(layout, site);
    return out;
}

std::string switchover_yaml(const Layout& layout, const Part& part, const std::string& assets) {
    std::string out(kHead);
    out += "node: " + part.name + "\n";
    out += "site: " + part.site + "\n";
    out += "machine: {listen: " + endpoint(part.address, kMachinePort) +
           ", tls: " + tls_files(part.name) + "}\n";
    if (!assets.empty())
        out += "console: {listen: " + endpoint(part.address, kConsolePort) +
               ", tls: {certificate: ../pki/" + part.name + ".crt, key: ../pki/" + part.name +
               ".key}, assets: " + yaml_quoted(assets) + "}\n";
    out += "signing: {certificate: ../pki/" + part.name + ".sign.crt, key: ../pki/" + part.name +
           ".sign.key}\n";
    out += "state: {directory: ../state/" + part.name + "}\n";
    out +=
        "judge: {tick: 250ms, stale_intervals: 3, first_report: 5s, site_down_for: 3s, "
        "recover_for: 3s, business_hold: 2s, process_for: 3s, member_for: 3s}\n";
    out += plan(layout);
    out += dns_part(layout);
    out += "scenarios: {directory: scenarios, report_interval: " + std::string(kInterval) +
           ", dns_tail: 5s}\n";
    out += "first_password: {file: ../run/first-password}\n";
    return out;
}

}  // namespace twinsite::cli::demo
