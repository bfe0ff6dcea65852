// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "switchover/fleet/host.hpp"
#include "switchover/fleet/roster.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::switchover::fleet {

/// How commands leave this server.
struct CommandSettings {
    std::string server;       ///< Our identity URI, into each command.
    std::string certificate;  ///< PEM of the signing key's certificate.
    /// Ed25519 over the bytes, base64; empty when it cannot be done.
    std::function<std::string(std::string_view)> sign;
    std::chrono::milliseconds resend{1'000};  ///< Pause before the same poller gets it again.
    std::size_t pending_per_agent = 64;
    std::size_t results_kept = 4'096;  ///< Final results, so that a repeated order is answered.
    std::size_t result_bytes_kept = 16 * 1024 * 1024;
};

struct CommandCounters {
    std::uint64_t submitted = 0;
    std::uint64_t sent = 0;  ///< Handed out, repeats included.
    std::uint64_t results = 0;
    std::uint64_t expired = 0;          ///< No final result within the validity and a minute.
    std::uint64_t foreign_results = 0;  ///< Of an agent that the sender may not speak for.
    std::uint64_t unknown_results = 0;  ///< Of an operation that nobody waits for.
};

/// Orders to agents, kept until their final result is here. An agent (or its site's monitor) asks
/// for them by long poll and gets each again on later polls, at least `resend` apart: agents tell
/// repeats by the operation id. One thread. Told the time.
class Commands {
public:
    /// Hears every result that comes in, also accepted and running. For a repeated order whose
    /// end is known it is called from inside `submit`. May call `submit` and `forget`.
    using OnResult = std::function<void(const wire::contract::CommandResult&)>;
    /// Gets what is to be sent; empty when the wait is over. Called once.
    using Deliver = std::function<void(std::vector<wire::contract::Command>)>;
    using PollId = std::uint64_t;

    enum class Submitted : std::uint8_t {
        queued,  ///< Also when the same operation waited already: it now carries the new fence.
        known,   ///< Its final result was here; `on_result` has been called.
        unknown_agent,
        full,        ///< Too many wait for this agent.
        not_signed,  ///< The signing key failed.
    };

    Commands(const Roster& roster, CommandSettings settings, OnResult on_result);

    /// `order` needs op_id, agent, action, params, fence, issued_wall_ms, valid_for_ms; the rest is
    /// filled here.
    Submitted submit(wire::contract::Command order, Time now);
    /// Nobody waits for it any more: not sent again, its result is dropped.
    void forget(const std::string& op_id);

    /// A poller that already waits is answered empty: the newest poll counts. `deliver` may be
    /// called from inside.
    PollId poll(
        const wire::contract::Identity& poller,
        std::chrono::milliseconds wait,
        Time now,
        Deliver deliver
    );
    /// Its connection is gone.
    void leave(PollId poll);
    /// Results from `sender`: an agent for itself, a monitor for the agents of its site.
    void take_results(
        const wire::contract::Identity& sender,
        const std::vector<wire::contract::CommandResult>& results
    );
    /// Every 500 ms or so: ends waits, hands out again, drops what is too old.
    void tick(Time now);

    std::size_t pending() const { return orders_.size(); }
    std::size_t polling() const { return polls_.size(); }
    const CommandCounters& counters() const { return counters_; }

private:
    struct Order {
        wire::contract::Command command;
        Time issued{};
        std::map<std::string, Time> sent;  // by poller: its agent, or its site's monitor
    };
    struct Poll {
        PollId id = 0;
        wire::contract::Identity poller;
        Time until{};
        Deliver deliver;
    };
    using Polls = std::unordered_map<std::string, Poll>;

    std::vector<wire::contract::Command> due(const wire::contract::Identity& poller, Time now);
    void wake_pollers_of(const std::string& agent, Time now);
    void answer_waiting(Time now);
    bool speaks_for(const wire::contract::Identity& who, const std::string& agent) const;
    bool take_result(
        const wire::contract::Identity& sender, const wire::contract::CommandResult& result
    );
    void keep_result(const wire::contract::CommandResult& result);
    void drop_expired(Time now);

    const CommandSettings settings_;
    const OnResult on_result_;
    std::unordered_map<std::string, std::string> site_of_;                   // agents of the roster
    std::unordered_map<std::string, std::vector<std::string>> monitors_of_;  // URIs, by site
    std::map<std::string, Order> orders_;                                    // by op_id
    std::unordered_map<std::string, std::set<std::string>> op_ids_;  // of `orders_`, by agent
    Polls polls_;                                                    // by identity URI
    PollId last_poll_ = 0;
    std::unordered_map<std::string, wire::contract::CommandResult> results_;  // final ones
    std::list<std::string> result_order_;                                     // oldest first
    std::size_t result_bytes_ = 0;
    CommandCounters counters_;
};

}  // namespace twinsite::switchover::fleet
