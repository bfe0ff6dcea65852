// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "switchover/api/views.hpp"
#include "switchover/store/audit.hpp"

/// The values of the API as JSON (docs/operator/api-switchover.md).
namespace twinsite::switchover::api {

/// RFC 3339 in UTC with milliseconds, "2026-11-30T17:05:01.250Z". Times before 1970 or after the
/// year 9999 are shown as those bounds.
std::string format_wall(WallMs wall_ms);

/// How much of a run is written.
enum class Detail : std::uint8_t {
    summary,  ///< Without steps.
    brief,    ///< Outputs cut to 1 KiB, for events.
    full,
};

boost::json::object to_json(const OverviewView& view, WallMs now);
boost::json::object to_json(const ScenarioSummary& view);
boost::json::object to_json(const ScenarioDetail& view);
boost::json::object to_json(const WhyView& view);
boost::json::object to_json(const RunView& view, Detail detail);
boost::json::object to_json(const AlarmView& view);
boost::json::object to_json(const GateView& gate);
boost::json::array to_json(const std::vector<GateView>& gates);
boost::json::object to_json(const store::AuditEntry& entry);

}  // namespace twinsite::switchover::api
