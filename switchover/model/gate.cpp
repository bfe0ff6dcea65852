// SPDX-License-Identifier: Apache-2.0
#include "switchover/model/gate.hpp"

namespace twinsite::switchover::model {

const std::vector<std::string_view>& gate_codes() {
    static const std::vector<std::string_view> codes{
        gate::kAgentsSilent,  gate::kVotes,        gate::kObserver,      gate::kJudgeHears,
        gate::kHeldFor,       gate::kBlind,        gate::kFlapping,      gate::kMaintenance,
        gate::kNotInsideSite, gate::kState,        gate::kBothSitesBad,  gate::kLevel,
        gate::kMOfN,          gate::kVolume,       gate::kNoData,        gate::kReport,
        gate::kDisk,          gate::kMemory,       gate::kProcess,       gate::kOutsideProbe,
        gate::kLastActive,    gate::kMember,       gate::kTargetState,   gate::kTargetMembers,
        gate::kTargetInSync,  gate::kTargetAgents, gate::kTargetOutside, gate::kCapacity,
        gate::kBusinessProbe, gate::kBusinessRate, gate::kBusinessHold,  gate::kMode,
        gate::kPause,         gate::kCoolDown,     gate::kLock,          gate::kLastSite,
        gate::kLint,          gate::kLeader,       gate::kTrigger,       gate::kRequire,
        gate::kUnless,        gate::kAlreadySo,
    };
    return codes;
}

}  // namespace twinsite::switchover::model
