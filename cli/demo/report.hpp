// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/demo/scene.hpp"

/// What the commands of the demo say on standard output.
namespace twinsite::cli::demo {

bool all_good(const std::vector<PartState>& states);
void print_table(const std::vector<PartState>& states);
/// One object: state, net, good, parts.
void print_json(const Scene& scene, const std::vector<PartState>& states);
/// Command lines to try with a demo that runs.
void print_hints(const Scene& scene);

}  // namespace twinsite::cli::demo
