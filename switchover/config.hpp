// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "base/text/ip.hpp"
#include "switchover/judge/rules.hpp"
#include "switchover/model/plan.hpp"

/// switchover.yaml as a typed value. docs/operator/configuration-switchover.md explains every key;
/// a test compares that page with the keys asked here.
namespace twinsite::switchover {

/// PEM files, resolved against the folder of the configuration.
struct TlsFiles {
    std::string certificate;
    std::string key;
    std::string ca;
    std::string crl;  ///< Empty: nothing is revoked.
};

struct MachineConfig {
    base::net::Endpoint listen;
    TlsFiles tls;
    std::uint32_t max_connections = 4'096;  ///< 16..100000; agents hold two each
};

struct ConsoleConfig {
    base::net::Endpoint listen;
    std::string certificate;
    std::string key;
    std::string assets;  ///< Folder of the console's files.
};

struct SigningConfig {
    std::string certificate;
    std::string key;
};

/// How the service shows in DNS, for the checks of scenarios.
struct DnsPlace {
    std::string site;
    std::vector<base::text::IpAddress> answers;   ///< Addresses that mean this site.
    std::optional<base::text::IpPrefix> clients;  ///< Told to the gslb as client subnet.
};

struct HistoryConfig {
    std::chrono::milliseconds keep{std::chrono::hours(24 * 7)};  ///< 1h..365d
    std::uint32_t max_mib = 2'048;                               ///< 16..1000000
};

struct ScenariosConfig {
    std::string directory;
    /// For the worst case of a scenario: interval of the agents' reports.
    std::chrono::milliseconds report_interval{10'000};  ///< 100ms..10m
    /// For the worst case: TTL of the answers, and clients that keep them longer.
    std::chrono::milliseconds dns_tail{30'000};  ///< 0..1h
};

struct Config {
    model::Plan plan;
    MachineConfig machine;
    std::optional<ConsoleConfig> console;
    SigningConfig signing;
    TlsFiles client;  ///< To gslb and slb.
    std::string state_directory;
    judge::Rules rules;
    std::map<std::string, base::net::Endpoint> dns_servers;  ///< By name of the gslb.
    std::vector<DnsPlace> dns_places;
    HistoryConfig history;
    ScenariosConfig scenarios;
    std::string first_password_file;  ///< Empty: no user is made.

    /// Our identity, "twinsite://arbiter/switchover/sw-arbiter".
    std::string identity() const;
};

/// Where things stand in the file, for findings that show only when the files it names are read.
struct ConfigPlaces {
    std::optional<base::config::Cursor> scenarios;
};

/// Reads a whole configuration. Wrong or missing values become findings of the cursor's document
/// and are replaced by harmless ones: with findings the result must not be used. `places` may be
/// null.
Config parse_config(base::config::Cursor at, ConfigPlaces* places = nullptr);

}  // namespace twinsite::switchover
