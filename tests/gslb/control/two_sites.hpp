// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gslb/control/helm.hpp"

namespace twinsite::gslb::control {

/// Zone example.net with one steered name, two sites, one target each, and a prefix table:
/// 10.1.0.0/16 east, 10.2.0.0/16 west. `drawn.example.net` is drawn by weight. `alias.example.net`
/// is a CNAME for the steered name, `*.any.example.net` is steered.
Setup two_sites();
/// The same with a third target "ocs-north" in the service.
Setup three_sites();

/// A helm over two_sites() whose health the test sets; all targets are up at first.
struct HelmUnderTest {
    HelmUnderTest();

    void set_health(const std::string& target, health::State state, bool restored = false);

    std::map<std::string, health::Health, std::less<>> health;  ///< by id, "ocs/ocs-east"
    std::vector<std::shared_ptr<const answer::Snapshot>> published;
    std::vector<Overrides> kept;
    std::vector<KeptControl> kept_control;
    bool disk_works = true;
    Helm helm;
};

inline const Moment kNoon{
    std::chrono::steady_clock::time_point(std::chrono::seconds(1000)),
    std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000))
};

}  // namespace twinsite::gslb::control
