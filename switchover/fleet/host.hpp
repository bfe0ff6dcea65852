// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twinsite::wire::contract {
struct Report;
}

namespace twinsite::switchover::fleet {

using Time = std::chrono::steady_clock::time_point;

/// A way on which a host's reports come: "direct", or the id of the monitor that relays.
struct Via {
    std::string name;
    Time last{};
};

/// What is known of one agent. Freshness is told by our own monotonic clock alone.
struct Host {
    std::string id;  ///< "SITE/NAME"
    std::string site;
    std::string name;
    std::string kind;  ///< As configured.

    /// The freshest live report; nullptr before the first. Never changed once it is here.
    std::shared_ptr<const wire::contract::Report> last;
    Time received{};                        ///< Arrival of `last`.
    Time measured{};                        ///< Arrival less the age that the sender gave.
    std::chrono::milliseconds interval{0};  ///< As reported, 100 ms to 10 min; 0 before the first.
    std::optional<std::int64_t> skew_ms;    ///< Its wall clock less ours; nullopt: not known yet.
    std::vector<Via> via;                   ///< Ways used by live reports, at most a few.

    std::uint64_t live = 0;        ///< Reports taken as the freshest.
    std::uint64_t backfilled = 0;  ///< Reports taken for the history only.
    std::uint64_t duplicates = 0;  ///< The same report once more.

    bool heard() const { return last != nullptr; }
    /// The report counts as fresh until then: `intervals` times the interval after `measured`.
    Time fresh_until(unsigned intervals) const { return measured + interval * intervals; }
    bool stale(Time now, unsigned intervals) const {
        return !heard() || now > fresh_until(intervals);
    }
};

/// What is known of one site monitor.
struct MonitorState {
    std::string id;  ///< "SITE/NAME"
    std::string site;
    std::string name;
    std::string version;
    bool heard = false;
    Time received{};
    std::chrono::milliseconds interval{0};
    std::optional<std::int64_t> skew_ms;
    std::uint64_t batches = 0;
    std::uint64_t duplicates = 0;

    bool stale(Time now, unsigned intervals) const {
        return !heard || now > received + interval * intervals;
    }
};

/// One result of an outside probe.
struct ProbeFact {
    std::string observer;  ///< Id of the monitor, "SITE/NAME"
    std::string site;      ///< Where the observer stands.
    std::string name;
    std::string kind;
    std::string subject;  ///< "site:east", "service:ocs"
    std::string view;
    bool ok = false;
    std::uint64_t latency_ms = 0;
    Time at{};                              ///< When it was measured, on our monotonic clock.
    std::int64_t wall_ms = 0;               ///< The same on our wall clock.
    std::chrono::milliseconds interval{0};  ///< Of the monitor's batches.
    std::string detail;
};

}  // namespace twinsite::switchover::fleet
