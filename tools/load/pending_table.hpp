// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "wire/diameter/peer.hpp"

namespace twinsite::tools::load {

/// The requests of one connection that wait for their answer. A hop-by-hop id is a generation in
/// its upper and a place in its lower 16 bits, so an answer finds its request without a search, and
/// an old answer never finds a new request.
class PendingTable {
public:
    using Time = wire::diameter::Time;
    static constexpr std::size_t kMaxPending = 65'536;

    enum class State : std::uint8_t { free, queued, sent };
    struct Request {
        Time due{};
        std::uint32_t end_to_end = 0;
        std::uint32_t session = 0;  ///< the caller's index
        std::uint16_t generation = 0;
        State state = State::free;
        bool expired = false;  ///< the last user of this place was given up
    };
    enum class Match : std::uint8_t {
        waiting,    ///< the answer of this request
        duplicate,  ///< its second answer
        late,       ///< its answer after it was given up
        unknown     ///< never asked for
    };

    /// The hop-by-hop id of a new request that is to be sent; nullopt when all places are taken.
    /// `due` must not go backwards from call to call.
    std::optional<std::uint32_t> add(Time due, std::uint32_t end_to_end, std::uint32_t session);
    Request& at(std::uint32_t hop_by_hop) { return places_[hop_by_hop & 0xffff]; }

    Match match(std::uint32_t hop_by_hop, std::uint32_t end_to_end) const;
    /// Frees the place of a waiting request.
    void answered(std::uint32_t hop_by_hop) { release(hop_by_hop, false); }

    /// Gives up what was due at or before `limit`; calls `lost(session)` for each.
    template <class Lost>
    void expire(Time limit, Lost lost) {
        while (!order_.empty()) {
            const std::uint32_t id = order_.front();
            if (is_waiting(id)) {
                const Request& request = at(id);
                if (request.due > limit) return;
                const std::uint32_t session = request.session;
                release(id, true);
                lost(session);
            }
            order_.pop_front();
        }
    }
    /// All waiting requests in the order they were added.
    template <class Visit>
    void each_waiting(Visit visit) {
        for (const std::uint32_t id : order_)
            if (is_waiting(id)) visit(id, at(id));
    }
    std::size_t waiting() const { return waiting_; }

private:
    bool is_waiting(std::uint32_t id) const {
        const Request& request = places_[id & 0xffff];
        return request.state != State::free && request.generation == id >> 16;
    }
    void release(std::uint32_t hop_by_hop, bool expired);

    std::vector<Request> places_;
    std::deque<std::uint16_t> free_;   ///< longest unused first, so that late answers are known
    std::deque<std::uint32_t> order_;  ///< ids as added; those answered are skipped later
    std::size_t waiting_ = 0;
};

}  // namespace twinsite::tools::load
