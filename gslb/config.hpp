// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/health/check.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "wire/dns/name.hpp"

/// gslb.yaml as a typed value. docs/operator/configuration-gslb.md explains every key; a test
/// compares that page with the keys asked here.
namespace twinsite::gslb {

struct TcpConfig {
    std::chrono::milliseconds idle{10'000};  ///< 1s..10m
    std::uint32_t max_connections = 4096;    ///< 1..1000000
};

struct TlsFiles {
    std::string certificate;  ///< PEM chain
    std::string key;          ///< PEM

    bool operator==(const TlsFiles&) const = default;
};

/// The control API over mutual TLS: clients must show a certificate of `ca`.
struct ControlListener {
    base::net::Endpoint listen;
    TlsFiles tls;
    std::string ca;   ///< PEM
    std::string crl;  ///< PEM; empty: none

    bool operator==(const ControlListener&) const = default;
};

struct StatusConfig {
    base::net::Endpoint listen;
    std::optional<TlsFiles> tls;
};

struct ZoneConfig {
    wire::dns::Name origin;
    std::string file;  ///< resolved against the folder of the configuration
};

/// One kind of probe. Who is probed with it: TargetChecks.
struct CheckConfig {
    std::string name;
    health::Kind kind = health::Kind::tcp;
    std::uint16_t port = 0;                      ///< 1..65535
    std::string path = "/";                      ///< http only
    std::string host;                            ///< http only; empty: the target's address
    std::vector<unsigned> expect_status{200};    ///< http only; each 100..599
    std::chrono::milliseconds interval{10'000};  ///< 100ms..1h
    std::chrono::milliseconds timeout{5'000};    ///< 10ms..interval; default half the interval
    health::Thresholds thresholds;               ///< each 1..1000
};

/// Indexes into Config::checks for every target: [service][target].
using TargetChecks = std::vector<std::vector<std::vector<std::size_t>>>;

struct Config {
    std::string node;
    std::string site;  ///< one of steering.sites
    std::vector<base::net::Endpoint> listen;
    std::uint32_t workers = 1;               ///< 1..64 UDP threads for each address
    std::uint16_t udp_payload_bytes = 1232;  ///< 512..4096; 1232 = IPv6 minimum MTU 1280 - 48
    TcpConfig tcp;
    std::string control_socket;
    std::optional<ControlListener> control_listener;
    std::optional<StatusConfig> status;
    std::string state_directory;
    std::vector<ZoneConfig> zones;
    std::string networks_file;  ///< empty: none
    std::vector<steering::PrefixEntry> prefixes;
    std::vector<CheckConfig> checks;
    steering::Steering steering;
    TargetChecks target_checks;
    /// The names of steering.policies, index by index.
    std::vector<wire::dns::Name> steered_names;
};

/// Where things stand in the file, for findings that show only when the files it names are read.
struct ConfigPlaces {
    std::vector<base::config::Cursor> zone_files;  ///< by Config::zones
    std::vector<base::config::Cursor> steered;     ///< by Config::steered_names
    std::optional<base::config::Cursor> networks_file;
};

/// Reads a whole configuration. Wrong or missing values become findings of the cursor's document
/// and are replaced by harmless ones: with findings the result must not be used. `places` may be
/// null.
Config parse_config(base::config::Cursor at, ConfigPlaces* places = nullptr);

}  // namespace twinsite::gslb
