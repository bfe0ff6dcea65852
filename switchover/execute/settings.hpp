// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "switchover/execute/member.hpp"

namespace twinsite::switchover::execute {

/// What the executor is given at the start. Fixed.
struct Settings {
    std::string server;  ///< Our identity, twinsite://SITE/switchover/NAME
    std::vector<Member> members;
    std::vector<Place> places;
    std::chrono::milliseconds ask_every{1'000};   ///< GET desired of each member
    std::chrono::milliseconds tell_every{5'000};  ///< PUT desired to each member
    std::chrono::milliseconds call_limit{900};    ///< Of one call; below `ask_every`.
    std::chrono::milliseconds check_every{250};   ///< Between two looks of a check
    std::chrono::milliseconds dns_limit{500};     ///< Of one DNS question
};

}  // namespace twinsite::switchover::execute
