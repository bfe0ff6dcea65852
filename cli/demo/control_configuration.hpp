// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/demo/layout.hpp"

/// Configuration files of the programs that watch and switch: agents, site monitors, the switchover
/// server. Paths in them are relative to DIR/etc.
namespace twinsite::cli::demo {

std::string agent_yaml(const Layout& layout, const Part& part);
std::string monitor_yaml(const Layout& layout, const Part& part);
/// `assets`: the folder of the console's files; empty: no console.
std::string switchover_yaml(const Layout& layout, const Part& part, const std::string& assets);

/// "{certificate: ../pki/X.crt, key: ../pki/X.key, ca: ../pki/ca.crt, crl: ../pki/crl.pem}"
std::string tls_files(const std::string& name);

}  // namespace twinsite::cli::demo
