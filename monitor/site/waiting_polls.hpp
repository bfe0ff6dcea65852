// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/http/reply.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::monitor::site {

/// Polls of agents that wait for a command: one for each agent, since a new one takes the place of
/// an old one that nobody reads any more. Told the time.
class WaitingPolls {
public:
    using Time = std::chrono::milliseconds;
    using Due = std::function<std::vector<wire::contract::Command>(const std::string& agent)>;

    /// Answers at once when `due` has something, else with nothing at `until`.
    void add(const std::string& agent, base::http::Reply reply, Time until, const Due& due);
    /// Answers those for which there is something now.
    void look(const std::string& agent, const Due& due);
    /// Answers those whose time is over, and those for which something became due.
    void sweep(Time now, const Due& due);
    std::size_t size() const { return waiting_.size(); }

private:
    struct Waiting {
        base::http::Reply reply;
        Time until;
    };
    std::map<std::string, Waiting> waiting_;
};

}  // namespace twinsite::monitor::site
