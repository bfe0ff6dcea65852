// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "monitor/collect/collectors.hpp"
#include "monitor/report/memory_guard.hpp"
#include "monitor/report/server_links.hpp"
#include "monitor/site/probe_config.hpp"

/// monitor.yaml as a typed value. docs/operator/configuration-monitor.md explains every key; a test
/// compares that page with the keys asked here.
namespace twinsite::monitor {

enum class Role : std::uint8_t { agent, site };

struct Config {
    Role role = Role::agent;
    report::LinkConfig links;
    report::MemoryLimits memory;
    std::string state_directory;
    std::string socket;  ///< Local status; empty: none.

    // role agent
    std::string kind;
    std::string actions_file;  ///< Empty: no actions.
    collect::CollectConfig collect;

    // role site
    base::net::Endpoint listen;
    std::vector<site::ProbeConfig> probes;
};

Config parse_config(base::config::Cursor root);

}  // namespace twinsite::monitor
