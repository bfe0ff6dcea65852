// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/async/backoff.hpp"
#include "base/error/result.hpp"
#include "base/http/connection.hpp"
#include "base/log/log.hpp"
#include "monitor/report/outbox.hpp"
#include "monitor/report/signal.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::monitor::report {

/// How one server is reached, for the local status.
struct UplinkState {
    std::string server;
    bool up = false;             ///< The last request was answered.
    std::string error;           ///< Why not; empty when up or not tried yet.
    std::uint64_t sent = 0;      ///< Reports or batches that it took.
    std::uint64_t backfill = 0;  ///< Of these, sent late.
    std::uint64_t failed = 0;    ///< Requests without an answer, or refused.
    std::uint64_t refused = 0;   ///< Entries that it will never take.
    std::int64_t skew_ms = 0;    ///< Its wall clock minus ours.
};

/// Sends to one server what the outbox holds for it, and results of commands, on one connection
/// that is kept. The live entry goes first, then one body of results. The backlog takes at most a
/// fifth of the time, and at most ten entries an interval, so that a server that comes back is not
/// run over. After a failure it waits a random time (full jitter) and then sends the newest.
class Uplink {
public:
    struct Settings {
        std::size_t server = 0;  ///< Of the outbox.
        base::http::Target target;
        std::string path;  ///< "/agent/v1/report" or "/agent/v1/batch"
        std::chrono::milliseconds interval{10'000};
    };
    /// The body to send for an entry, with what is only known when it is sent.
    using Dress = std::function<std::string(const spool::Entry&, bool live, std::size_t server)>;

    /// `outbox` outlives it.
    Uplink(
        const boost::asio::any_io_executor& executor,
        Settings settings,
        Outbox& outbox,
        Dress dress,
        base::async::Backoff::Random random
    );

    /// Until it is cancelled. Once.
    boost::asio::awaitable<void> run();
    /// There is a new live entry.
    void wake() { signal_.raise(); }
    /// Sends `result` soon, and until the server has it. A newer result of the same operation takes
    /// the place of an older one.
    void send_result(wire::contract::CommandResult result);
    const UplinkState& state() const { return state_; }

private:
    using Time = std::chrono::milliseconds;
    struct Waiting {
        wire::contract::CommandResult result;
        std::uint64_t version;
    };

    Time pause() const;
    boost::asio::awaitable<void> turn();
    boost::asio::awaitable<void> send_results();
    /// False when there was no answer.
    boost::asio::awaitable<bool> send_entry();
    boost::asio::awaitable<base::Result<base::http::Response>> post(
        std::string path, std::string body
    );
    void succeeded();
    void failed(std::string why);
    void learn_skew(const std::string& body, std::uint64_t before_ms, std::uint64_t after_ms);

    const Settings settings_;
    Outbox& outbox_;
    const Dress dress_;
    base::http::Connection connection_;
    Signal signal_;
    base::async::Backoff backoff_;
    Time retry_at_{};
    Time backlog_at_{};
    std::vector<Waiting> results_;  ///< In the order of their operations.
    std::uint64_t version_ = 0;
    bool skew_warned_ = false;
    base::log::Throttle refusals_{std::chrono::minutes(1)};
    UplinkState state_;
};

}  // namespace twinsite::monitor::report
