// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "switchover/execute/member.hpp"
#include "switchover/execute/seams.hpp"
#include "switchover/execute/settings.hpp"
#include "switchover/scenario/machine.hpp"

namespace twinsite::switchover::execute {

/// Carries out the effects of runs, keeps members told of what is wanted, and asks them how they
/// are. Everything on the thread of the io_context. Nothing here is remembered over a restart: the
/// store and the run are.
class Executor {
public:
    /// Called once per result, never from inside `start`; `progress` may come several times before.
    using Report = std::function<void(scenario::Event)>;

    Executor(boost::asio::any_io_executor thread, Settings settings, Seams seams);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// Begins to ask and to tell members. Once.
    void run();
    /// Stops everything; no report comes afterwards. Await before destruction.
    boost::asio::awaitable<void> stop();

    /// Begins an effect (act, check) or ends one (cancel). An op_id that is under way is not begun
    /// a second time: its one result goes to the first `report`.
    void start(const scenario::Effect& effect, Report report);
    /// Tells all members now: what is wanted was changed by somebody else than a run.
    void wanted_changed();
    /// We do not lead any more: effects under way end without a report.
    void drop_effects();

    /// In the order of the settings.
    std::vector<MemberView> members() const;
    /// Whether all members at `site` are reachable and hold our list (docs/decisions/0015: only
    /// then may the site count as ready); the others are named in `why`.
    bool members_in_sync(const std::string& site, std::string& why) const;

private:
    struct Core;
    std::shared_ptr<Core> core_;
};

}  // namespace twinsite::switchover::execute
