// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/demo/ledger.hpp"

namespace twinsite::cli::demo {

/// The charging sessions of one network element: CCR initial, update, termination, then a new one
/// in its place. One request of a session is pending at most. Pure: bytes in, bytes out, told the
/// time.
class Charging {
public:
    struct Origin {
        std::string host;
        std::string realm;
        std::string destination_realm;
    };
    struct Outcome {
        bool expected = false;  ///< Answers something that was pending.
        bool good = false;      ///< Result-Code 2001.
        std::string origin_host;
        std::chrono::microseconds latency{0};  ///< Since the request was first sent.
    };

    /// `sessions`: how many are open side by side, at least 1. `seed` makes ids of this run differ
    /// from those of others (RFC 6733 sections 3 and 8.8).
    Charging(Origin origin, std::size_t sessions, std::uint32_t seed);

    /// Appends the next request to `out`; false when every session waits for an answer, or, after
    /// `finish`, has ended.
    bool next_request(std::vector<std::uint8_t>& out, Time now, std::uint32_t wall_seconds);
    /// Appends every pending request again with the T flag, oldest first: for a new link.
    void repeat_pending(std::vector<std::uint8_t>& out);
    Outcome answer(std::span<const std::uint8_t> message, Time now);
    /// From now on no new session starts; the open ones go on to their end.
    void finish() { finishing_ = true; }

    std::size_t pending() const { return pending_.size(); }
    bool all_ended() const { return finishing_ && open_ == 0; }
    /// When the oldest pending request was first sent.
    std::optional<Time> oldest_pending() const;

private:
    struct Session {
        std::string id;
        std::uint32_t number = 0;  ///< Of the next request: 0 initial, 1 update, 2 termination.
        bool open = false;
        bool waiting = false;
    };
    struct Pending {
        std::size_t session = 0;
        Time sent;
        std::vector<std::uint8_t> bytes;
    };

    Session* pick();
    void begin(Session& session);
    void end(Session& session);

    const Origin origin_;
    const std::uint32_t seed_;
    std::vector<Session> sessions_;
    std::unordered_map<std::uint32_t, Pending> pending_;  ///< By end-to-end id.
    std::size_t turn_ = 0;
    std::size_t open_ = 0;
    std::uint32_t begun_ = 0;
    std::uint32_t next_id_;
    bool finishing_ = false;
};

}  // namespace twinsite::cli::demo
