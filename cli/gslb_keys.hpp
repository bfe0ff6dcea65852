// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/show.hpp"

/// `twinsite gslb keys ...`: the keys of zones that twinsite-gslb signs (docs/operator/dnssec.md).
namespace twinsite::cli {

struct KeyWords {
    std::string zone;
    std::string folder;
    std::string role;
    std::string valid = "30d";  ///< how long the signatures of `presign` hold
    bool single = false;        ///< one key for everything (CSK)
    bool automatic = false;
    bool ds_seen = false;
};

/// Makes the first keys of a zone in a folder. Asks no daemon.
ExitCode keys_create(const Settings& settings, const KeyWords& words);
/// Signs the set of keys with the KSK in the folder, for a server that shall not have it. Asks no
/// daemon.
ExitCode keys_presign(const Settings& settings, const KeyWords& words);
ExitCode keys_list(const Settings& settings, const KeyWords& words);
ExitCode keys_roll(const Settings& settings, const KeyWords& words);
ExitCode keys_step(const Settings& settings, const KeyWords& words);
ExitCode keys_cancel(const Settings& settings, const KeyWords& words);

/// An answer about keys as text for people.
std::string keys_text(const std::string& body);

}  // namespace twinsite::cli
