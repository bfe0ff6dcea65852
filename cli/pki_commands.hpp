// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/show.hpp"

/// `twinsite pki ...`: each function is one command, prints its result and gives its exit code.
namespace twinsite::cli {

/// The words of all commands as they were typed.
struct PkiWords {
    std::string folder;
    std::string name;  ///< Of the authority.
    unsigned authority_days = 3650;
    std::string identity;  ///< "twinsite://SITE/ROLE/NAME"
    std::vector<std::string> addresses;
    std::vector<std::string> dns_names;
    unsigned days = 0;  ///< 0: 365, or as before.
    bool signing = false;
    std::string out;
    std::string file;
    std::string which;  ///< A name, URI, serial or file.
    std::string reason = "unspecified";
    std::string expiring;
};

ExitCode pki_init(const Settings& settings, const PkiWords& words);
ExitCode pki_issue(const Settings& settings, const PkiWords& words);
ExitCode pki_renew(const Settings& settings, const PkiWords& words);
ExitCode pki_revoke(const Settings& settings, const PkiWords& words);
ExitCode pki_show(const Settings& settings, const PkiWords& words);

}  // namespace twinsite::cli
