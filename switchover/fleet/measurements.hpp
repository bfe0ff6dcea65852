// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/store/history.hpp"

namespace twinsite::wire::contract {
struct Report;
struct Sample;
}  // namespace twinsite::wire::contract

/// Looking into reports. Pure.
namespace twinsite::switchover::fleet {

/// The number `key` of a sample; nullptr when it has none. Lives as long as the sample.
const double* find_number(const wire::contract::Sample& sample, std::string_view key);
/// The text `key`; nullptr when it has none.
const std::string* find_text(const wire::contract::Sample& sample, std::string_view key);
/// The first sample of this collector with status ok, nullptr when there is none.
const wire::contract::Sample* find_sample(
    const wire::contract::Report& report, std::string_view collector
);

/// Cuts a report to what is worth keeping in memory: its size is the sender's choice.
void trim(wire::contract::Report& report);

/// Adds the numbers that charts show, "cpu.idle" or "disk.used_percent@/var", measured at
/// `wall_ms`. A report adds at most 128; instances are cut at 128 bytes.
void add_history(
    std::vector<store::HistoryPoint>& to,
    const std::string& host,
    const wire::contract::Report& report,
    std::int64_t wall_ms
);

}  // namespace twinsite::switchover::fleet
