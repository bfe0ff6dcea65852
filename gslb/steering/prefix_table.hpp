// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/steering/prefix_map.hpp"

namespace twinsite::gslb::steering {

/// What a prefix table says: a text of lines "PREFIX SITE[,SITE...]" with '#' comments.
struct PrefixTable {
    struct Finding {
        int line = 0;  ///< from 1
        std::string text;
    };
    std::vector<PrefixEntry> entries;  ///< only of lines without a finding
    std::vector<Finding> findings;     ///< at most kMaxTableFindings, in line order
};
constexpr std::size_t kMaxTableFindings = 50;

/// The sites of "east,west" as indices. On failure `problem` says why and the result is empty.
SiteOrder parse_site_list(
    std::string_view text, std::span<const std::string> sites, std::string& problem
);

/// A prefix that stands in the table twice is a finding, whatever it says.
PrefixTable parse_prefix_table(std::string_view text, std::span<const std::string> sites);

}  // namespace twinsite::gslb::steering
