// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/async/backoff.hpp"
#include "base/http/connection.hpp"
#include "monitor/report/clocks.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::monitor::report {

/// Asks one server for commands again and again: a long poll on a connection of its own.
class CommandPoll {
public:
    /// True when at least one of the commands is new. A server hands out a command until it has
    /// its result, so a poll that brings nothing new is followed by a rest, each time a longer one.
    using OnCommands = std::function<bool(std::vector<wire::contract::Command>)>;

    CommandPoll(
        const boost::asio::any_io_executor& executor,
        base::http::Target target,
        Clocks clocks,
        OnCommands on_commands,
        base::async::Backoff::Random random
    );

    /// Until it is cancelled. Once.
    boost::asio::awaitable<void> run();
    /// The last poll was answered.
    bool up() const { return up_; }

    static constexpr std::chrono::seconds kWait{25};

private:
    /// How long to rest before the next poll.
    std::chrono::milliseconds take(
        const base::Result<base::http::Response>& answer, std::chrono::milliseconds took
    );

    base::http::Connection connection_;
    const Clocks clocks_;
    const OnCommands on_commands_;
    base::async::Backoff backoff_;
    std::chrono::milliseconds rest_;  ///< After the next poll that brings nothing new.
    bool up_ = false;
};

}  // namespace twinsite::monitor::report
