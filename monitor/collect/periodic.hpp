// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "monitor/collect/background.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// A collector on a thread of its own, which measures each kPeriod. Used on one thread.
class Periodic {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Samples = std::vector<wire::contract::Sample>;
    using Measure = std::function<Samples(Time now)>;
    /// Called on the collector's thread, which may hang in it as well.
    using Make = std::function<Measure()>;

    /// The instantaneous share of the processor is over this: the shortest that clock ticks allow.
    static constexpr std::chrono::milliseconds kPeriod{1'000};
    /// Values older than that come from a collector that does not come back.
    static constexpr std::chrono::milliseconds kDeadline{5'000};

    /// `names`: a sample for each, without numbers, as long as nothing was measured.
    Periodic(Samples names, Make make);

    /// The newest values with their age; those of a collector that hangs are stuck. At once.
    Samples sample(Time now) const;

private:
    struct Latest;
    std::shared_ptr<Latest> latest_;
    Background worker_;
};

}  // namespace twinsite::monitor::collect
