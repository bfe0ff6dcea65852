// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "wire/contract/command.hpp"

namespace twinsite::monitor::site {

/// Commands on their way from servers to the agents of this site, and who wants the results. Adds
/// the time that it held a command to its age, and changes nothing else: it is signed. Told the
/// time.
class Relay {
public:
    using Time = std::chrono::milliseconds;

    /// A server wants these carried out. Gives the agents for which there is something new.
    std::set<std::string> add(
        std::size_t server, const std::vector<wire::contract::Command>& commands, Time now
    );
    /// What the agent should be told now: all it has not answered, and what it said to be running
    /// some seconds ago, in case it has forgotten.
    std::vector<wire::contract::Command> due(const std::string& agent, Time now);
    /// The agent said what became of an operation. Gives the servers to tell; none: all of them.
    std::set<std::size_t> answered(const wire::contract::CommandResult& result, Time now);
    /// Forgets commands that ran out long ago.
    void trim(Time now);
    std::size_t size() const { return pending_.size(); }

    static constexpr std::size_t kMaxPending = 10'000;
    static constexpr std::chrono::seconds kAskAgain{5};
    /// Kept so long beyond its validity, so that the agent can say that it came too late.
    static constexpr std::chrono::seconds kKeepExpired{60};

private:
    struct Pending {
        wire::contract::Command command;
        Time arrived{};
        Time next{};  ///< Not handed out before.
        std::set<std::size_t> servers;
    };
    struct Key {
        std::string agent;
        std::string op_id;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, Pending> pending_;
};

}  // namespace twinsite::monitor::site
