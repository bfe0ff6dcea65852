// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/http/connection.hpp"
#include "base/net/endpoint.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::bench {

/// What all agents together saw.
struct Tally {
    std::uint64_t sent = 0;
    std::uint64_t acknowledged = 0;  ///< 200 with an Ack of just that `seq`.
    std::uint64_t polls = 0;
    std::uint64_t failed_polls = 0;
    std::uint64_t body_bytes = 0;
    std::vector<std::uint32_t> latencies_us;  ///< Of the acknowledged.
    std::string first_failure;                ///< Why a report or poll went wrong; for people.
};

/// One agent as the server sees it: two connections of mutual TLS with a certificate of its own,
/// reports on one, on the other a long poll for commands. It sends by base/http Connection, as
/// twinsite-monitor does, but keeps nothing: what is not acknowledged at once is lost.
class SimulatedAgent {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Settings {
        std::string certificates;  ///< The folder of `write_certificates`.
        base::net::Endpoint server;
        std::chrono::milliseconds interval;  ///< What the reports claim.
    };

    /// `tally` outlives the agent. One thread.
    SimulatedAgent(
        const boost::asio::any_io_executor& executor,
        const Settings& settings,
        std::size_t index,
        Tally& tally
    );

    /// `count` reports, the first at `first`, then one a `period`; at once when the answer before
    /// came too late for that.
    boost::asio::awaitable<void> report(
        std::size_t count, Time first, std::chrono::milliseconds period
    );
    /// Polls until cancelled. The first poll asks to wait `first_wait`, all others the usual time:
    /// the ends of many agents' polls can so be spread.
    boost::asio::awaitable<void> poll(std::chrono::seconds first_wait);

private:
    boost::asio::awaitable<void> report_once();

    const wire::contract::Identity identity_;
    const std::uint64_t interval_ms_;
    Tally& tally_;
    std::uint64_t seq_ = 0;
    base::http::Connection reports_;
    base::http::Connection commands_;
};

/// As an agent waits for commands.
inline constexpr std::chrono::seconds kPollWait{25};

}  // namespace twinsite::bench
