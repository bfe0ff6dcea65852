// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gslb/config.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/health/check.hpp"
#include "gslb/health/vote_board.hpp"
#include "gslb/server/listeners.hpp"
#include "gslb/transfer/copies.hpp"
#include "gslb/transfer/settings.hpp"
#include "gslb/zone/zone_data.hpp"
#include "gslb/zone_signing.hpp"
#include "gslb/zone_transfers.hpp"

namespace twinsite::gslb {

/// Everything the operator wants, read from disk and found good as a whole: the configuration and
/// the zones and networks it names, in the forms that the rooms take. Immutable.
struct Intent {
    Config config;
    control::Setup setup;
    std::vector<health::Watch> watches;
    health::VoteBoard::Rules votes;
    server::ListenSettings listen;
    /// All zones as loaded, in the order of the configuration, when one of them can change by
    /// itself (signed here, from primaries): to serve the change without reading the others.
    std::vector<std::shared_ptr<const zone::ZoneData>> sources;
    SignedParts signed_parts;
    std::vector<transfer::KeyPointer> tsig_keys;
    std::shared_ptr<transfer::Copies> copies;  ///< one for the life of the process; never null
    transfer::Settings transfers;
};

struct LoadedIntent {
    std::shared_ptr<const Intent> intent;  ///< null exactly when there are findings
    std::vector<std::string> findings;     ///< "file:line:column: $.path: text"
    std::vector<std::string> warnings;     ///< of zone files; they do not hinder
};

/// The published part of an intent: a folder with intent.yaml.
struct SharedIntent {
    std::string folder;
    std::string content;  ///< hash of the bundle; Setup::configuration
};

/// Reads and checks everything, and signs. Opens no socket, starts no thread; for any thread.
/// `previous` may be null: signatures that are still fresh, and what came from primaries, are taken
/// from it. What was published (group::IntentStore under the state's folder) is read in the place
/// of the keys that members share, once there is something and the configuration has a group.
LoadedIntent load_intent(const std::string& config_file, const Intent* previous = nullptr);
/// The same with `shared` in the place of what is in force.
LoadedIntent load_intent(
    const std::string& config_file, const SharedIntent& shared, const Intent* previous
);
/// Where IntentStore has its files.
std::string intent_folder(const Config& config);
/// The same intent with its zones signed anew, by the keys that are on the disk now, and with what
/// has come from primaries meanwhile. Reads no
/// configuration and no zone, so that a mistake there does not let signatures expire.
LoadedIntent sign_again(const Intent& intent);
/// Signs what the intent answers in each of these states, with its own signers, which nobody else
/// uses yet.
void sign_ahead(const Intent& intent, const std::vector<answer::ServiceStates>& likely);
/// The file in the state directory with the serials of signed zones.
inline constexpr const char* kSerialsFile = "serials.json";
/// Each warning as an event.
void log_warnings(const LoadedIntent& loaded);

}  // namespace twinsite::gslb
