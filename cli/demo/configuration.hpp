// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cli/demo/layout.hpp"

namespace twinsite::cli::demo {

/// Every file below DIR/etc by its name: a YAML file for each program that has one, the zone and
/// the prefix table. Paths in them are relative to DIR/etc, so that the folder can be read and
/// moved. `console_assets`: the folder of the console's files; empty: no console.
std::map<std::string, std::string> configuration_files(
    const Layout& layout, const std::string& console_assets
);

}  // namespace twinsite::cli::demo
