// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "switchover/api/views.hpp"
#include "switchover/execute/member.hpp"
#include "switchover/model/gate.hpp"
#include "switchover/model/time.hpp"

namespace twinsite::switchover {

class Conductor;
struct Assessment;
struct BookEntry;

/// The values of the API from those of the rooms. Pure.
std::vector<api::SiteView> site_views(
    const Conductor& conductor, const std::vector<execute::MemberView>& members
);
std::vector<api::ServiceView> service_views(const Conductor& conductor);
api::ScenarioSummary summary_of(const BookEntry& entry, const Assessment& assessment);
api::WhyView why_of(const BookEntry& entry, const Assessment& assessment);
api::BlindView blind_view(const Conductor& conductor);
std::optional<api::PauseView> pause_view(const Conductor& conductor);
/// A moment of the monotonic clock on the wall clock of now.
api::WallMs to_wall(const Conductor& conductor, model::Time at);

}  // namespace twinsite::switchover
