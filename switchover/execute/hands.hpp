// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "switchover/execute/members.hpp"
#include "switchover/scenario/machine.hpp"

/// What the executor's coroutines do, for its own files. Each gives a result of an effect.
namespace twinsite::switchover::execute {

/// What they work with. Outlives them.
struct Hands {
    const Settings& settings;
    const Seams& seams;
    Members& members;
};

struct Finished {
    scenario::Event::Outcome outcome = scenario::Event::Outcome::ok;
    std::string output;
};
inline Finished done(std::string output) {
    return {scenario::Event::Outcome::ok, std::move(output)};
}
inline Finished failed(std::string output) {
    return {scenario::Event::Outcome::failed, std::move(output)};
}

/// Shows people how far it is. Kept by the run, so not more than about once a second.
using Progress = std::function<void(std::string)>;

/// gslb.set, slb.drain, slb.activate: stores what is wanted and has it told.
boost::asio::awaitable<Finished> change_wanted(Hands hands, scenario::Effect effect);
boost::asio::awaitable<Finished> release_clients(
    Hands hands, scenario::Effect effect, Progress progress
);
/// Asks the slbs of the effect to stop releasing.
boost::asio::awaitable<void> stop_release(Hands hands, scenario::Effect effect);
boost::asio::awaitable<Finished> run_on_agent(
    Hands hands, scenario::Effect effect, Progress progress
);
boost::asio::awaitable<Finished> check(Hands hands, scenario::Effect effect, Progress progress);

/// Indexes of the members of this kind, at this site unless it is empty.
std::vector<std::size_t> members_of(
    const Hands& hands, MemberKind kind, const std::string& site = {}
);

}  // namespace twinsite::switchover::execute
