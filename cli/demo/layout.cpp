// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/layout.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::cli::demo {
namespace {

Part daemon(
    std::string_view prefix,
    Kind kind,
    std::string_view site,
    const std::string& address,
    std::uint16_t port
) {
    Part out;
    out.name = std::string(prefix) + std::string(site);
    out.kind = kind;
    out.site = site;
    out.address = address;
    out.port = port;
    return out;
}

}  // namespace

bool Layout::is_net(std::string_view text) {
    const auto parts = base::text::split(text, '.');
    if (parts.size() != 2 || parts[0] != "127" || parts[1].empty()) return false;
    if (parts[1].size() > 1 && parts[1].front() == '0') return false;
    const auto second = base::text::parse_number<unsigned>(parts[1]);
    return second && *second <= 255;
}

std::filesystem::path Layout::configuration(const Part& part) const {
    return state_ / "etc" / (part.name + ".yaml");
}

std::filesystem::path Layout::log(const Part& part) const {
    return state_ / "log" / (part.name + ".log");
}

std::filesystem::path Layout::record(const Part& part) const {
    return state_ / "run" / (part.name + ".json");
}

std::filesystem::path Layout::control_socket(const Part& part) const {
    return state_ / "run" / (part.name + ".sock");
}

std::string Layout::at(std::string_view site, std::string_view host) const {
    const auto* place = site == kSites[0] ? ".1." : site == kSites[1] ? ".2." : ".3.";
    return net_ + place + std::string(host);
}

std::string Layout::blade_address(std::string_view site, int number) const {
    return at(site, std::to_string(30 + number));
}

Part Layout::blade(std::string_view site, int number) const {
    Part out;
    out.name = "blade-" + std::string(site) + "-" + std::to_string(number);
    out.kind = Kind::blade;
    out.site = site;
    out.number = number;
    out.address = blade_address(site, number);
    out.port = kDiameterPort;
    return out;
}

Part Layout::agent(std::string_view site, std::string_view machine, std::string_view host) const {
    Part out;
    out.name = std::string(machine) + "-" + std::string(site);
    out.kind = Kind::agent;
    out.site = site;
    out.address = at(site, host);
    return out;
}

std::vector<Part> Layout::parts() const {
    std::vector<Part> out;
    for (const auto site : kSites)
        for (int number = 1; number <= kBladesPerSite; ++number) out.push_back(blade(site, number));
    for (const auto site : kSites)
        out.push_back(daemon("slb-", Kind::slb, site, slb_address(site), kDiameterPort));
    for (const auto site : kSites)
        out.push_back(daemon("gslb-", Kind::gslb, site, gslb_address(site), kDnsPort));
    out.push_back(daemon("sw-", Kind::switchover, kArbiter, switchover_address(), kMachinePort));
    for (const auto place : {kSites[0], kSites[1], kArbiter})
        out.push_back(daemon("mon-", Kind::monitor, place, monitor_address(place), kReportPort));
    for (const auto site : kSites) {
        out.push_back(agent(site, kInterfaceMachine, "50"));
        out.push_back(agent(site, kProcessingMachine, "51"));
    }
    return out;
}

std::string client_address(std::string_view site) {
    return site == kSites[0] ? "127.10.1.1" : "127.10.2.1";
}

bool is_site(std::string_view text) {
    return std::find(kSites.begin(), kSites.end(), text) != kSites.end();
}

bool is_place(std::string_view text) {
    return is_site(text) || text == kArbiter;
}

std::string short_name(const Part& part) {
    return part.kind == Kind::agent ? part.name.substr(0, part.name.find('-')) : part.name;
}

std::string identity_of(const Part& part) {
    const auto role = [&]() -> std::string {
        switch (part.kind) {
            case Kind::blade:
                return "blade";
            case Kind::slb:
                return "slb";
            case Kind::gslb:
                return "gslb";
            case Kind::switchover:
                return "switchover";
            case Kind::monitor:
                return "monitor";
            case Kind::agent:
                break;
        }
        return "agent";
    };
    return "twinsite://" + part.site + "/" + role() + "/" + short_name(part);
}

bool Selection::covers(const Part& part) const {
    return (!kind || *kind == part.kind) && (site.empty() || site == part.site) &&
           (number == 0 || number == part.number) && (name.empty() || name == part.name);
}

namespace {

std::optional<Selection> parse_blade(const std::vector<std::string>& words) {
    const auto number =
        words.size() == 3 ? base::text::parse_number<int>(words[2]) : std::optional<int>();
    if (!number || !is_site(words[1]) || *number < 1 || *number > kBladesPerSite)
        return std::nullopt;
    return Selection{Kind::blade, words[1], *number, ""};
}

std::optional<Selection> parse_agent(const std::vector<std::string>& words) {
    if (words.size() != 3 || !is_site(words[2])) return std::nullopt;
    if (words[1] != kInterfaceMachine && words[1] != kProcessingMachine) return std::nullopt;
    return Selection{Kind::agent, words[2], 0, words[1] + "-" + words[2]};
}

}  // namespace

std::optional<Selection> parse_selection(const std::vector<std::string>& words) {
    if (words.empty()) return Selection{};
    const auto& what = words[0];
    if (what == "switchover" && words.size() == 1) return Selection{Kind::switchover, "", 0, ""};
    if (what == "blade") return parse_blade(words);
    if (what == "agent") return parse_agent(words);
    if (words.size() != 2) return std::nullopt;
    const auto& place = words[1];
    if (what == "monitor" && is_place(place)) return Selection{Kind::monitor, place, 0, ""};
    if (!is_site(place)) return std::nullopt;
    if (what == "site") return Selection{std::nullopt, place, 0, ""};
    if (what == "slb") return Selection{Kind::slb, place, 0, ""};
    if (what == "gslb") return Selection{Kind::gslb, place, 0, ""};
    return std::nullopt;
}

}  // namespace twinsite::cli::demo
