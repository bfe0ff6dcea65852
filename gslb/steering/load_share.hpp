// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gslb/steering/policy.hpp"

namespace twinsite::gslb::steering {

/// Load reports of one target as a share of its usual clients. Between the watermarks the wanted
/// share falls from all to nothing; the share walks there by at most one step a period, so that
/// servers with slightly different reports do not chase each other. Reports that are old say
/// nothing: the share walks back to all of it. Told the time, from any origin.
class LoadShare {
public:
    /// A report is heard for so many periods.
    static constexpr int kHeardPeriods = 3;

    /// `percent` of what the target can do, 0..; over 100 is possible. `seq` grows with each report
    /// of one reporter: what is not newer is left out, unless the one before is stale.
    void report(double percent, std::uint64_t seq, std::chrono::milliseconds heard_at);

    /// Lets the time go on to `now`. 0..1000.
    std::uint16_t advance(const LoadLimits& limits, std::chrono::milliseconds now);
    std::uint16_t permille() const { return share_; }

    struct Report {
        double percent = 0;
        std::uint64_t seq = 0;
        std::chrono::milliseconds heard_at{};
    };
    const std::optional<Report>& last() const { return last_; }

private:
    std::optional<Report> last_;
    std::uint16_t share_ = 1000;
    std::optional<std::chrono::milliseconds> stepped_;
};

/// What the share should be at a load: 1000 up to low, 0 from high on, a straight line between.
std::uint16_t wanted_share(double percent, const LoadLimits& limits);

}  // namespace twinsite::gslb::steering
