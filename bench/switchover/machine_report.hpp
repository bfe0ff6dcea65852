// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wire/contract/identity.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::bench {

/// What an agent tells of a usual machine: cpu, memory, two disks, ten processes and itself, with
/// the members of twinsite-monitor's collectors. Values differ with the machine and with `seq`, so
/// that no two reports are alike. The times are now.
wire::contract::Report machine_report(
    const wire::contract::Identity& agent, std::uint64_t seq, std::uint64_t interval_ms
);

}  // namespace twinsite::bench
