// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "slb/proxy/settings.hpp"

namespace twinsite::slb {

struct StatusListener {
    base::net::Endpoint listen;
    std::string certificate;  ///< PEM chain; empty: plain HTTP
    std::string key;

    bool operator==(const StatusListener&) const = default;
};

/// The control API over mutual TLS: clients must show a certificate of `ca`.
struct ControlListener {
    base::net::Endpoint listen;
    std::string certificate;  ///< PEM chain
    std::string key;
    std::string ca;
    std::string crl;  ///< empty: none

    bool operator==(const ControlListener&) const = default;
};

/// slb.yaml, checked. docs/operator/configuration-slb.md explains each key.
struct Config {
    std::string node;
    std::string control_socket;
    std::optional<ControlListener> control_listener;
    std::optional<StatusListener> status;
    std::string state_directory;
    proxy::Settings proxy;
};

/// Reads the whole file and records all findings in its document. The result is of use only when
/// there are none.
Config parse_config(base::config::Cursor root);

/// The first setting of `fresh` that differs from `running` and cannot change while the process
/// lives (who we are, and where control listens), as its path; empty: a reload can do it all.
std::string needs_restart(const Config& running, const Config& fresh);

}  // namespace twinsite::slb
