// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "cli/demo/layout.hpp"

/// Whether a running part of the demo does its work: asked over its own API, at most a second each.
namespace twinsite::cli::demo {

/// Empty: it works. Else why not, in a few words.
std::string fault_of(const Layout& layout, const Part& part);

/// A target that its gslb does not hold for up although its site works: just found out, or healed a
/// moment ago. Sites that are broken are no fault of the gslb.
std::string sight_fault(
    const Layout& layout, const Part& gslb, const std::set<std::string>& good_sites
);

}  // namespace twinsite::cli::demo
