// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/configuration.hpp"

#include "cli/demo/control_configuration.hpp"

namespace twinsite::cli::demo {
namespace {

constexpr std::string_view kHead =
    "# Written by `twinsite demo start`; written anew at each start.\n";

std::string endpoint(const std::string& address, std::uint16_t port) {
    return address + ":" + std::to_string(port);
}

std::string target_line(const Layout& layout, const std::string& site) {
    return "      - {name: ocs-" + site + ", site: " + site + ", addresses: [" +
           layout.slb_address(site) + "], weight: 10, checks: [slb-ready]}\n";
}

std::string control_line(const Part& part) {
    return "control: {socket: ../run/" + part.name +
           ".sock, listen: " + endpoint(part.address, kControlPort) +
           ", tls: " + tls_files(part.name) + "}\n";
}

std::string gslb_yaml(const Layout& layout, const Part& part) {
    std::string out(kHead);
    out += "node: " + part.name + "-1\n";
    out += "site: " + part.site + "\n";
    out += "listen:\n  - " + endpoint(part.address, part.port) + "\n";
    out += "workers: 1\n";
    out += control_line(part);
    out += "status: {listen: " + endpoint(part.address, kStatusPort) + "}\n";
    out += "state: {directory: ../state/" + part.name + "}\n";
    out += "sites: [east, west]\n";
    out += "networks: {file: networks.txt}\n";
    out += "zones:\n  - {name: example.net, file: example.net.zone}\n";
    // A stopped site is found by two silent probes: about 1.5 s at the most.
    out +=
        "checks:\n"
        "  - {name: slb-ready, type: http, port: " +
        std::to_string(kStatusPort) +
        ", path: /readyz, expect_status: [200], interval: 500ms, timeout: 400ms, "
        "up_threshold: 2, ok_threshold: 2, down_threshold: 2}\n";
    out += "services:\n  - name: ocs\n    targets:\n";
    for (const auto site : kSites) out += target_line(layout, std::string(site));
    out +=
        "steered:\n"
        "  - name: " +
        std::string(kServiceName) +
        "\n"
        "    service: ocs\n"
        "    ttl: {min: 1s, max: 5s}\n"
        "    all_down: open\n"
        "    filters: [override, up, nearest, failover]\n";
    return out;
}

std::string slb_yaml(const Layout& layout, const Part& part) {
    std::string out(kHead);
    out += "node: " + part.name + "\n";
    out += "identity: {host: slb." + part.site + ".example.net, realm: example.net}\n";
    out += "listen:\n  - " + endpoint(part.address, part.port) + "\n";
    out += control_line(part);
    out += "status: {listen: " + endpoint(part.address, kStatusPort) + "}\n";
    out += "state: {directory: ../state/" + part.name + "}\n";
    out += "applications: [relay]\n";
    out += "request: {timeout: 700ms, tries: 3, suspect_after: 400ms}\n";
    out += "balance: volume\n";
    out += "blade_link: {watchdog: 6s, reconnect: {min: 100ms, max: 2s}, bind: " + part.address +
           "}\n";
    out += "blades:\n";
    for (int number = 1; number <= kBladesPerSite; ++number)
        out += "  - {name: b" + std::to_string(number) +
               ", address: " + endpoint(layout.blade_address(part.site, number), kDiameterPort) +
               "}\n";
    return out;
}

std::string zone_file(const Layout& layout) {
    std::string out = "; Written by `twinsite demo start`. " + std::string(kServiceName) +
                      " A is not here: it is steered.\n"
                      "$ORIGIN example.net.\n"
                      "$TTL 300\n"
                      "@ IN SOA gslb.east hostmaster 1 3600 600 86400 60\n"
                      "@ IN NS gslb.east\n"
                      "@ IN NS gslb.west\n"
                      "@ IN TXT \"Twinsite demo: two sites on one machine\"\n"
                      "_diameter._tcp IN SRV 10 10 " +
                      std::to_string(kDiameterPort) + " ocs\n";
    for (const auto site : kSites) {
        out += "gslb." + std::string(site) + " IN A " + layout.gslb_address(site) + "\n";
        out += "slb." + std::string(site) + " IN A " + layout.slb_address(site) + "\n";
    }
    return out;
}

std::string networks_file() {
    return "# Which site is nearest to which client. Written by `twinsite demo start`.\n"
           "10.1.0.0/16    east\n"
           "10.2.0.0/16    west\n"
           "127.10.1.0/24  east\n"
           "127.10.2.0/24  west\n";
}

}  // namespace

std::map<std::string, std::string> configuration_files(
    const Layout& layout, const std::string& console_assets
) {
    std::map<std::string, std::string> out;
    for (const auto& part : layout.parts()) {
        if (part.kind == Kind::gslb) out[part.name + ".yaml"] = gslb_yaml(layout, part);
        if (part.kind == Kind::slb) out[part.name + ".yaml"] = slb_yaml(layout, part);
        if (part.kind == Kind::agent) out[part.name + ".yaml"] = agent_yaml(layout, part);
        if (part.kind == Kind::monitor) out[part.name + ".yaml"] = monitor_yaml(layout, part);
        if (part.kind == Kind::switchover)
            out[part.name + ".yaml"] = switchover_yaml(layout, part, console_assets);
    }
    out["example.net.zone"] = zone_file(layout);
    out["networks.txt"] = networks_file();
    return out;
}

}  // namespace twinsite::cli::demo
