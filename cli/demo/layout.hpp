// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The demo: two sites on one machine's loopback addresses, without root.
namespace twinsite::cli::demo {

inline constexpr std::array<std::string_view, 2> kSites = {"east", "west"};
inline constexpr int kBladesPerSite = 2;
inline constexpr std::string_view kServiceName = "ocs.example.net";
inline constexpr std::uint16_t kDnsPort = 5300;
inline constexpr std::uint16_t kDiameterPort = 3868;
inline constexpr std::uint16_t kStatusPort = 8440;

enum class Kind : std::uint8_t { blade, slb, gslb };

/// One process of the demo.
struct Part {
    std::string name;  ///< "gslb-east", "slb-west", "blade-east-1": of its files as well
    Kind kind = Kind::blade;
    std::string site;
    int number = 0;  ///< Of a blade, from 1; 0 for the others.
    std::string address;
    std::uint16_t port = 0;  ///< Where it serves; the status port is kStatusPort.
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
    std::string blade_address(std::string_view site, int number) const;

    /// Everything, in the order of starting: what others need comes first.
    std::vector<Part> parts() const;

private:
    Part blade(std::string_view site, int number) const;
    std::string at(std::string_view site, std::string_view host) const;

    std::filesystem::path state_;
    std::string net_;
};

/// The address that the demo's network element of a site calls from: listed in the prefix table.
std::string client_address(std::string_view site);
bool is_site(std::string_view text);

/// Which parts of the demo a command is about.
struct Selection {
    std::optional<Kind> kind;  ///< None: every kind.
    std::string site;          ///< Empty: both.
    int number = 0;            ///< Of a blade; 0: all.

    bool covers(const Part& part) const;
};
/// The words after `break` or `heal`: "site east", "slb east", "gslb west", "blade east 1". No
/// words select everything. nullopt for anything else.
std::optional<Selection> parse_selection(const std::vector<std::string>& words);

}  // namespace twinsite::cli::demo
