// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinsite::switchover::model {

/// One condition that was looked at on the way to a decision: part of the record that says why
/// something happened, or why not. Console, command line and tests read the same record.
struct Gate {
    std::string code;  ///< stable; one of `gate_codes()`; the console translates by it
    bool ok = false;
    std::string have;                     ///< the value found, for example "1 of 3"
    std::string need;                     ///< what it should be, for example "2 of 3"
    std::optional<std::uint64_t> age_ms;  ///< of the value
    std::string source;                   ///< who says so, for example "mon-west"; may be empty
    std::string text;                     ///< English, one sentence
};

/// The codes. Each names the rule; a gate that is not ok means that this rule holds things up.
namespace gate {
// Evidence and brakes, by the judge.
inline constexpr std::string_view kAgentsSilent = "agents-silent";
inline constexpr std::string_view kVotes = "votes";
inline constexpr std::string_view kObserver = "observer";
inline constexpr std::string_view kJudgeHears = "judge-hears";
inline constexpr std::string_view kHeldFor = "for-not-reached";
inline constexpr std::string_view kBlind = "blind";
inline constexpr std::string_view kFlapping = "flapping";
inline constexpr std::string_view kMaintenance = "maint";
inline constexpr std::string_view kNotInsideSite = "not-inside-site";
inline constexpr std::string_view kState = "state";
inline constexpr std::string_view kBothSitesBad = "both-sites-bad";
// Samples, by the judge.
inline constexpr std::string_view kLevel = "level";
inline constexpr std::string_view kMOfN = "m-of-n";
inline constexpr std::string_view kVolume = "insufficient";
inline constexpr std::string_view kNoData = "no-data";
inline constexpr std::string_view kReport = "report";
inline constexpr std::string_view kDisk = "disk";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kProcess = "process";
inline constexpr std::string_view kOutsideProbe = "outside-probe";
inline constexpr std::string_view kLastActive = "last-active";
inline constexpr std::string_view kMember = "member";
// Readiness of a site as a target, by the judge.
inline constexpr std::string_view kTargetState = "target-not-ready";
inline constexpr std::string_view kTargetMembers = "target-members";
inline constexpr std::string_view kTargetInSync = "target-in-sync";
inline constexpr std::string_view kTargetAgents = "target-agents";
inline constexpr std::string_view kTargetOutside = "target-outside";
inline constexpr std::string_view kCapacity = "capacity";
// Business, by the judge.
inline constexpr std::string_view kBusinessProbe = "business-probe";
inline constexpr std::string_view kBusinessRate = "business-rate";
inline constexpr std::string_view kBusinessHold = "business-hold";
// Around a scenario, by scenario and conductor.
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kPause = "pause";
inline constexpr std::string_view kCoolDown = "cool-down";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kLastSite = "last-site";
inline constexpr std::string_view kLint = "lint";
inline constexpr std::string_view kLeader = "leader";
inline constexpr std::string_view kTrigger = "trigger";
inline constexpr std::string_view kRequire = "require";
inline constexpr std::string_view kUnless = "unless";
inline constexpr std::string_view kAlreadySo = "already-so";
}  // namespace gate

/// All codes, in the order of docs/operator/gates.md.
const std::vector<std::string_view>& gate_codes();

}  // namespace twinsite::switchover::model
