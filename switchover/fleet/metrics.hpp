// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "switchover/fleet/host.hpp"

namespace twinsite::base::metrics {
class Writer;
}

namespace twinsite::switchover::fleet {

class Commands;
class Fleet;

/// The families of agents, monitors, hosts and commands (docs/operator/metrics.md).
void write_metrics(
    base::metrics::Writer& out, const Fleet& fleet, const Commands& commands, Time now
);

}  // namespace twinsite::switchover::fleet
