// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "slb/proxy/client_table.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::slb::proxy {

/// How far a release is.
struct ReleaseStatus {
    enum class State : std::uint8_t { idle, running, done, stopped };
    State state = State::idle;
    std::size_t released = 0;  ///< of them, how many have gone
    std::size_t total = 0;     ///< clients that were there at the start
};
std::string_view to_string(ReleaseStatus::State state);

/// Asks the clients that are connected now to leave, one after another at a set pace (DPR with
/// REBOOTING, RFC 6733 section 5.4.3), so that they look up our name anew and connect again. New
/// connections are none of its business. Each client's requests are answered before its link
/// closes; one that does not answer the DPR is closed after kClientGrace. Shard thread only.
class Release {
public:
    using Time = wire::diameter::Time;
    static constexpr std::chrono::milliseconds kClientGrace{5'000};

    /// Replaces what ran before. `per_second` is above 0.
    void start(ClientTable& clients, double per_second, Time now);
    /// Asks nobody any more; those that were asked leave all the same.
    void stop();
    /// Asks those that are due. Every few milliseconds.
    void on_tick(ClientTable& clients, Time now);

    ReleaseStatus status() const;
    bool running() const { return state_ == ReleaseStatus::State::running; }
    /// DPRs sent since the start of the program.
    std::uint64_t asked_in_all() const { return asked_in_all_; }

private:
    void ask_next(ClientTable& clients);

    std::vector<ClientId> waiting_;  ///< the next one is the last
    std::vector<ClientId> asked_;    ///< and still there
    std::size_t total_ = 0;
    std::size_t unasked_ = 0;  ///< taken off the list by `stop`
    double per_second_ = 1;
    Time next_at_{};
    ReleaseStatus::State state_ = ReleaseStatus::State::idle;
    std::uint64_t asked_in_all_ = 0;
};

}  // namespace twinsite::slb::proxy
