// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "switchover/store/history.hpp"

namespace twinsite::base::metrics {
class Writer;
}

namespace twinsite::switchover {

class Conductor;
class Alarms;

/// What the metrics say beside what the rooms know.
struct ServerFacts {
    bool ready = false;
    std::uint64_t uptime_s = 0;
    std::size_t machine_connections = 0;
    std::size_t console_connections = 0;
    std::size_t alarms = 0;
    store::HistoryCounters history;
};

/// The families of this server, its judge and its runs (docs/operator/metrics.md).
void write_server_metrics(
    base::metrics::Writer& out, const Conductor& conductor, const ServerFacts& facts
);

}  // namespace twinsite::switchover
