// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/gslb_commands.hpp"
#include "cli/gslb_group_commands.hpp"
#include "cli/gslb_keys.hpp"

namespace CLI {
class App;
}

namespace twinsite::cli {

/// What the words of `twinsite gslb` end up in.
struct GslbWords {
    ExplainQuery explain;
    OverrideWish wish;
    SimulateWish simulate;
    IntentWish intent;
    KeyWords keys;
};

/// Adds the group `gslb` to the option parser. `words` outlives the parser; `chosen` gets the
/// command that was named.
void add_gslb(
    CLI::App& app, GslbWords& words, const Settings& settings, std::function<ExitCode()>& chosen
);

}  // namespace twinsite::cli
