// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/demo/layout.hpp"

namespace twinsite::cli::demo {

using Time = std::chrono::steady_clock::time_point;

/// A time without good answers: from the last one before it to the first one after it.
struct Outage {
    Time last_good;
    Time first_good;

    std::chrono::milliseconds length() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(first_good - last_good);
    }
};

/// What one client saw in a stretch of time.
struct Tally {
    std::array<std::uint64_t, kSites.size()> good{};  ///< Answers 2001 by the site that served.
    std::uint64_t not_good = 0;                       ///< Answers with another result.
    std::vector<std::uint32_t> latencies_us;          ///< Of the good ones.

    std::uint64_t all_good() const { return good[0] + good[1]; }
    /// The latency below which `share` (0..1) of the answers stayed; 0 without answers.
    std::uint32_t quantile_us(double share) const;
};

/// Books of one client of the demo. Pure: told the time.
class Ledger {
public:
    /// A gap between good answers that is longer counts as an outage.
    explicit Ledger(std::chrono::milliseconds outage_limit) : outage_limit_(outage_limit) {}

    /// `site`: index into kSites. Returns the outage that this answer ends, if it does.
    std::optional<Outage> good(std::size_t site, Time now, std::chrono::microseconds latency);
    void not_good();

    /// What came since the last call.
    Tally take_stretch();
    /// Everything; without the latencies.
    const Tally& total() const { return total_; }
    const std::vector<Outage>& outages() const { return outages_; }
    std::optional<Time> last_good() const { return last_good_; }

private:
    const std::chrono::milliseconds outage_limit_;
    Tally stretch_;
    Tally total_;
    std::vector<Outage> outages_;
    std::optional<Time> last_good_;
};

}  // namespace twinsite::cli::demo
