// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gslb/config.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/health/check.hpp"
#include "gslb/server/listeners.hpp"

namespace twinsite::gslb {

/// Everything the operator wants, read from disk and found good as a whole: the configuration and
/// the zones and networks it names, in the forms that the rooms take. Immutable.
struct Intent {
    Config config;
    control::Setup setup;
    std::vector<health::Watch> watches;
    server::ListenSettings listen;
};

struct LoadedIntent {
    std::shared_ptr<const Intent> intent;  ///< null exactly when there are findings
    std::vector<std::string> findings;     ///< "file:line:column: $.path: text"
    std::vector<std::string> warnings;     ///< of zone files; they do not hinder
};

/// Reads and checks everything. Opens no socket, starts no thread; for any thread.
LoadedIntent load_intent(const std::string& config_file);
/// Each warning as an event.
void log_warnings(const LoadedIntent& loaded);

}  // namespace twinsite::gslb
