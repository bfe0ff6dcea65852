// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/config_server.hpp"
#include "gslb/config_zones.hpp"
#include "gslb/health/check.hpp"
#include "gslb/health/votes.hpp"
#include "gslb/steering/geo_rules.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "wire/dns/name.hpp"

/// gslb.yaml as a typed value. docs/operator/configuration-gslb.md explains every key; a test
/// compares that page with the keys asked here.
namespace twinsite::gslb {

struct TcpConfig {
    std::chrono::milliseconds idle{10'000};  ///< 1s..10m
    std::uint32_t max_connections = 4096;    ///< 1..1000000
    std::uint32_t max_per_address = 0;       ///< 0..1000000; 0: no limit
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

/// One kind of probe. Who is probed with it: TargetChecks.
struct CheckConfig {
    std::string name;
    probe::Ask ask;
    std::uint16_t port = 0;                      ///< 0 exactly when the kind has none
    std::chrono::milliseconds interval{10'000};  ///< 100ms..1h
    std::chrono::milliseconds timeout{5'000};    ///< 10ms..interval; default half the interval
    health::Thresholds thresholds;               ///< each 1..1000; hold-down 0..1d
};

/// How health is found as a whole.
struct HealthConfig {
    std::uint32_t parallel = 256;  ///< 1..10000 probes at a time
    health::Quorum quorum;
    std::vector<std::string> witnesses;
    struct Point {
        std::size_t check = 0;  ///< index into Config::checks
        base::text::IpAddress address;
    };
    std::vector<Point> own_link;
};

/// Another gslb of the group. `name` is its `node`, and NAME of its certificate's identity.
struct GroupPeer {
    std::string name;
    base::net::Endpoint address;

    bool operator==(const GroupPeer&) const = default;
};

/// The group link (docs/protocol/group.md).
struct GroupConfig {
    base::net::Endpoint listen;
    TlsFiles tls;
    std::string ca;                                 ///< PEM
    std::string crl;                                ///< PEM; empty: none
    TlsFiles signing;                               ///< Ed25519; empty: cannot publish intent
    std::vector<GroupPeer> peers;                   ///< 1..15
    std::chrono::milliseconds heartbeat{1'000};     ///< 50ms..1m
    std::chrono::milliseconds digest{5'000};        ///< 50ms..1m
    std::chrono::milliseconds silent_after{3'000};  ///< heartbeat..10m; default 3 heartbeats
    std::uint32_t keep = 10;                        ///< versions of the intent on disk, 2..1000

    bool operator==(const GroupConfig&) const = default;
};

/// Databases that say where networks are, and what follows from it.
struct GeoConfig {
    std::string database;  ///< MaxMind file of places; empty: none
    std::string owners;    ///< MaxMind file of AS numbers; empty: none
    steering::GeoRules rules;
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
    ServerConfig server;
    std::string control_socket;
    std::optional<ControlListener> control_listener;
    std::optional<StatusConfig> status;
    std::string state_directory;
    std::vector<TsigKeyConfig> tsig_keys;
    std::optional<GroupConfig> group;
    std::vector<ZoneConfig> zones;
    std::string networks_file;  ///< empty: none
    std::vector<steering::PrefixEntry> prefixes;
    std::vector<steering::PrefixEntry> resolvers;  ///< only for the sources of queries
    GeoConfig geo;
    std::vector<CheckConfig> checks;
    HealthConfig health;
    steering::Steering steering;
    TargetChecks target_checks;
    std::vector<std::optional<health::Quorum>> quorums;  ///< by service; none: health.quorum
    /// The names of steering.policies, index by index.
    std::vector<wire::dns::Name> steered_names;
};

/// Where things stand in the file, for findings that show only when the files it names are read.
struct ConfigPlaces {
    std::vector<base::config::Cursor> tsig_secrets;  ///< by Config::tsig_keys
    std::vector<base::config::Cursor> zone_files;    ///< by Config::zones: the file, or the zone
    std::vector<base::config::Cursor> steered;       ///< by Config::steered_names
    std::optional<base::config::Cursor> networks_file;
    std::optional<base::config::Cursor> geo_database;
    std::optional<base::config::Cursor> geo_owners;
};

/// Reads a whole configuration. Wrong or missing values become findings of the cursor's document
/// and are replaced by harmless ones: with findings the result must not be used. `places` may be
/// null.
/// `shared` is the root of an intent.yaml: what all members of the group have in common (sites,
/// networks, zones, checks, services, steered) is then read from there, with findings of its own
/// document, and the same keys of `at` do not count. Whatever is added to the configuration reads
/// from `shared` what must be equal everywhere, and from `at` what is of this node.
Config parse_config(
    base::config::Cursor at,
    ConfigPlaces* places = nullptr,
    std::optional<base::config::Cursor> shared = std::nullopt
);
/// The keys that an intent.yaml may hold.
const std::vector<std::string>& shared_keys();

}  // namespace twinsite::gslb
