// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gslb/steering/delay_table.hpp"
#include "gslb/steering/facts.hpp"
#include "gslb/steering/load_share.hpp"
#include "gslb/steering/policy.hpp"

namespace twinsite::gslb::control {

/// What others measured and told: facts, loads, delays. Ages are judged here, so that decisions
/// need no clock. A value; told the time, from any origin.
class Measurements {
public:
    using Time = std::chrono::milliseconds;
    static constexpr std::size_t kMaxFacts = 10'000;

    struct FactView {
        std::string name;
        double value = 0;
        Time age{};
        Time ttl{};
        bool fresh = false;
    };
    struct LoadView {
        std::string service;
        std::string target;
        std::optional<steering::LoadShare::Report> last;
        std::uint16_t share_permille = 1000;
    };

    /// `heard_at` is when it was true. Older than what is known is left out. False: too many.
    bool report_fact(const std::string& name, double value, Time ttl, Time heard_at);
    void report_load(
        const std::string& service,
        const std::string& target,
        double percent,
        std::uint64_t seq,
        Time heard_at
    );
    steering::DelayTable& delays() { return delays_; }
    const steering::DelayTable& delays() const { return delays_; }

    /// Nobody has told a fact or a load yet.
    bool empty() const { return known_.empty() && loads_.empty(); }
    /// Lets the time go on: shares walk, facts grow old.
    void advance(const steering::Steering& steering, Time now);
    /// As of the last advance().
    const steering::Facts& facts() const { return facts_; }
    std::uint16_t share_permille(std::string_view service, std::string_view target) const;

    std::vector<FactView> fact_views(Time now) const;
    std::vector<LoadView> load_views() const;

private:
    struct Known {
        double value = 0;
        Time ttl{};
        Time heard_at{};
    };
    std::map<std::string, Known, std::less<>> known_;
    std::map<std::pair<std::string, std::string>, steering::LoadShare, std::less<>> loads_;
    steering::DelayTable delays_;
    steering::Facts facts_;
};

}  // namespace twinsite::gslb::control
