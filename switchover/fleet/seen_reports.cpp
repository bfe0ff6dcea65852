// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/seen_reports.hpp"

#include <algorithm>
#include <functional>

namespace twinsite::switchover::fleet {
namespace {

constexpr std::size_t kRuns = 4;
constexpr std::uint64_t kWindow = 4'096;
constexpr std::uint64_t kWordBits = 64;

std::uint64_t mask(std::uint64_t seq) {
    return std::uint64_t{1} << (seq % kWordBits);
}

std::size_t word(std::uint64_t seq) {
    return static_cast<std::size_t>(seq % kWindow / kWordBits);
}

}  // namespace

SeenReports::Run& SeenReports::run_of(std::uint64_t boot) {
    const auto known = std::find_if(runs_.begin(), runs_.end(), [boot](const Run& run) {
        return run.boot == boot;
    });
    if (known != runs_.end()) {
        std::rotate(known, known + 1, runs_.end());
        return runs_.back();
    }
    if (runs_.size() == kRuns) runs_.erase(runs_.begin());
    runs_.push_back({boot, 0, std::vector<std::uint64_t>(kWindow / kWordBits)});
    return runs_.back();
}

bool SeenReports::add(const std::string& boot_id, std::uint64_t seq) {
    auto& run = run_of(std::hash<std::string>{}(boot_id));
    if (seq > run.highest) {
        // The places between are those of numbers that left the window.
        if (seq - run.highest >= kWindow)
            std::fill(run.bits.begin(), run.bits.end(), 0);
        else
            // Counted down: an agent may say any number, the largest as well.
            for (auto left = seq - run.highest; left > 0; --left) {
                const auto n = run.highest + left;
                run.bits[word(n)] &= ~mask(n);
            }
        run.highest = seq;
    } else if (run.highest - seq >= kWindow) {
        return true;
    }
    auto& bits = run.bits[word(seq)];
    const bool seen = (bits & mask(seq)) != 0;
    bits |= mask(seq);
    return !seen;
}

}  // namespace twinsite::switchover::fleet
