// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The demo: two sites and an arbiter on one machine's loopback addresses, without root.
namespace twinsite::cli::demo {

inline constexpr std::array<std::string_view, 2> kSites = {"east", "west"};
/// The third place: the switchover server and a site monitor, no business.
inline constexpr std::string_view kArbiter = "arbiter";
inline constexpr int kBladesPerSite = 2;
/// Machines that an agent of the demo stands for: the one with slb and gslb, and that of the
/// blades.
inline constexpr std::string_view kInterfaceMachine = "if1";
inline constexpr std::string_view kProcessingMachine = "proc1";
inline constexpr std::string_view kServiceName = "ocs.example.net";
inline constexpr std::uint16_t kDnsPort = 5300;
inline constexpr std::uint16_t kDiameterPort = 3868;
inline constexpr std::uint16_t kControlPort = 8440;  ///< Of gslb and slb: mutual TLS.
inline constexpr std::uint16_t kStatusPort = 8441;   ///< Of gslb and slb: readiness, metrics.
inline constexpr std::uint16_t kReportPort = 7600;   ///< Of a site monitor: reports of agents.
inline constexpr std::uint16_t kMachinePort = 8444;  ///< Of the switchover server.
inline constexpr std::uint16_t kConsolePort = 8443;

enum class Kind : std::uint8_t { blade, slb, gslb, switchover, monitor, agent };

/// One process of the demo.
struct Part {
    std::string name;  ///< "gslb-east", "blade-east-1", "if1-east": of its files as well
    Kind kind = Kind::blade;
    std::string site;
    int number = 0;  ///< Of a blade, from 1; 0 for the others.
    std::string address;
    std::uint16_t port = 0;  ///< Where it serves; 0: it only calls others.
};

/// Where everything of one demo is: a folder and the first two octets of its addresses.
class Layout {
public:
    /// `state` is absolute; `net` is "127.0" to "127.255", see `is_net`.
    Layout(std::filesystem::path state, std::string net)
        : state_(std::move(state)), net_(std::move(net)) {}

    static bool is_net(std::string_view text);

    const std::filesystem::path& state() const { return state_; }
    const std::string& net() const { return net_; }
    std::filesystem::path folder(std::string_view name) const { return state_ / name; }
    std::filesystem::path configuration(const Part& part) const;
    std::filesystem::path log(const Part& part) const;
    std::filesystem::path record(const Part& part) const;
    std::filesystem::path control_socket(const Part& part) const;

    std::string gslb_address(std::string_view site) const { return at(site, "10"); }
    std::string slb_address(std::string_view site) const { return at(site, "20"); }
    std::string monitor_address(std::string_view site) const { return at(site, "40"); }
    std::string switchover_address() const { return at(kArbiter, "30"); }
    std::string blade_address(std::string_view site, int number) const;

    /// Everything, in the order of starting: what others need comes first.
    std::vector<Part> parts() const;

private:
    Part blade(std::string_view site, int number) const;
    Part agent(std::string_view site, std::string_view machine, std::string_view host) const;
    std::string at(std::string_view site, std::string_view host) const;

    std::filesystem::path state_;
    std::string net_;
};

/// The address that the demo's network element of a site calls from: listed in the prefix table.
std::string client_address(std::string_view site);
bool is_site(std::string_view text);
/// A site or the arbiter.
bool is_place(std::string_view text);
/// What the certificate of a part says it is: "twinsite://east/agent/if1".
std::string identity_of(const Part& part);
/// The last word of its identity: "if1" of the part "if1-east".
std::string short_name(const Part& part);

/// Which parts of the demo a command is about.
struct Selection {
    std::optional<Kind> kind;  ///< None: every kind.
    std::string site;          ///< Empty: all.
    int number = 0;            ///< Of a blade; 0: all.
    std::string name;          ///< Empty: all.

    bool covers(const Part& part) const;
};
/// The words after `break` or `heal`: "site east", "slb east", "gslb west", "blade east 1",
/// "agent if1 east", "monitor arbiter", "switchover". No words select everything. nullopt for
/// anything else.
std::optional<Selection> parse_selection(const std::vector<std::string>& words);

}  // namespace twinsite::cli::demo
