// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "switchover/fleet/host.hpp"
#include "switchover/fleet/roster.hpp"
#include "switchover/store/history.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::wire::contract {
struct Batch;
}

namespace twinsite::switchover::fleet {

class SeenReports;
class SeriesLimit;

/// Our clocks at one moment.
struct Moment {
    Time now{};                ///< Monotonic: decides.
    std::int64_t wall_ms = 0;  ///< Unix time: for display and history.
};

/// What became of a report or batch.
enum class Taken : std::uint8_t {
    live,      ///< The freshest: judged.
    backfill,  ///< For the history only.
    duplicate,
    foreign,  ///< The sender may not speak for this host: 403.
    unknown,  ///< The host or monitor is not in the roster: 403.
};

struct FleetCounters {
    std::uint64_t live = 0;
    std::uint64_t backfilled = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t refused = 0;  ///< foreign or unknown
    std::uint64_t batches = 0;
    std::uint64_t probes = 0;  ///< Without repeats.
    std::uint64_t history_points = 0;
    std::uint64_t dropped = 0;  ///< Probe results and points beyond what is kept.
};

/// All agents and monitors as they report: takes reports and batches, tells the freshest state of
/// each, and hands measurements to the history. One thread. Told the time: no clock, no socket.
class Fleet {
public:
    struct Listeners {
        /// A report became the freshest of its host.
        std::function<void(const Host&)> on_live;
        /// In the order of measurement within a batch; also those that failed. A result that was
        /// told before is not told again, nor is one of a name beyond a monitor's 512, or of
        /// charging of a service that is not in the roster.
        std::function<void(const ProbeFact&)> on_probe;
        /// A monitor's batch came in (after its reports and probes).
        std::function<void(const MonitorState&)> on_batch;
        /// Measurements, in batches (see `tick`). Without it they are dropped.
        std::function<void(std::vector<store::HistoryPoint>)> on_history;
    };

    Fleet(const Roster& roster, Listeners listeners);
    ~Fleet();
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    /// From an agent itself. `sender` is proven by its certificate.
    Taken take_report(
        const wire::contract::Identity& sender, wire::contract::Report report, const Moment& moment
    );
    /// From a site monitor. A batch with a report of another site is refused as a whole; reports of
    /// hosts that are not in the roster are left out.
    Taken take_batch(
        const wire::contract::Identity& sender, wire::contract::Batch batch, const Moment& moment
    );
    /// Every second or so: hands collected measurements over.
    void tick(const Moment& moment);

    /// In the order of the roster.
    const std::vector<Host>& hosts() const { return hosts_; }
    const Host* find_host(std::string_view id) const;
    const std::vector<MonitorState>& monitors() const { return monitors_; }
    /// The last result of each probe, by observer ("SITE/NAME") and name.
    const std::map<std::string, std::map<std::string, ProbeFact>>& probes() const {
        return probes_;
    }
    const FleetCounters& counters() const { return counters_; }

private:
    Taken take(
        std::size_t index,
        wire::contract::Report report,
        const std::string& via,
        const Moment& moment
    );
    void take_probes(
        const MonitorState& monitor, const wire::contract::Batch& batch, const Moment& moment
    );
    bool is_wanted(const ProbeFact& fact) const;
    void keep_history(
        std::size_t index, const wire::contract::Report& report, const Moment& measured
    );
    void hand_over_history();

    const Listeners listeners_;
    std::vector<Host> hosts_;
    std::vector<std::unique_ptr<SeenReports>> seen_;    // by host
    std::vector<std::unique_ptr<SeriesLimit>> series_;  // by host
    const std::optional<std::vector<std::string>> services_;
    std::unordered_map<std::string, std::size_t> host_index_;  // by id
    std::vector<MonitorState> monitors_;
    std::vector<std::unique_ptr<SeenReports>> seen_batches_;  // by monitor
    std::map<std::string, std::map<std::string, ProbeFact>> probes_;
    std::vector<store::HistoryPoint> history_;
    FleetCounters counters_;
};

}  // namespace twinsite::switchover::fleet
