// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace twinsite::slb::proxy {

/// How often each Result-Code was seen. A fixed number of different codes, so that no answer can
/// make it grow; beyond them all count as code 0.
class ResultCounts {
public:
    struct Entry {
        std::uint32_t code = 0;
        std::uint64_t count = 0;
    };
    static constexpr std::size_t kCodes = 64;

    void add(std::uint32_t code) {
        if (entries_[last_].code != code) last_ = position(code);
        ++entries_[last_].count;
    }
    std::size_t size() const { return used_; }
    /// Entry 0 is code 0: no code in the answer, or too many different ones.
    const Entry& operator[](std::size_t index) const { return entries_[index]; }

private:
    std::size_t position(std::uint32_t code) {
        for (std::size_t i = 0; i < used_; ++i)
            if (entries_[i].code == code) return i;
        if (used_ == kCodes) return 0;
        entries_[used_].code = code;
        return used_++;
    }

    std::array<Entry, kCodes> entries_{};
    std::size_t used_ = 1;
    std::size_t last_ = 0;  ///< most answers have the code of the one before
};

/// What happened at one blade. Plain: one thread writes, readers come by its mailbox.
struct BladeCounters {
    std::uint64_t requests = 0;     ///< sent to it, re-sent ones included
    std::uint64_t answers = 0;      ///< answers that found their request
    std::uint64_t resent_from = 0;  ///< its pending requests that were sent to another blade
    std::uint64_t resent_to = 0;    ///< requests of other blades that it got, with T set
    std::uint64_t late = 0;         ///< answers nobody waited for any more, dropped
    std::uint64_t timeouts = 0;     ///< tries that were not answered in time
    std::uint64_t suspicions = 0;
    std::uint64_t connections = 0;     ///< times the link was opened
    std::uint64_t lost_state = 0;      ///< times it came back with another Origin-State-Id
    std::uint64_t answer_time_us = 0;  ///< sum over `answers`
    ResultCounts results;
};

/// What happened in the relay, beside the blades.
struct RelayCounters {
    std::uint64_t requests = 0;             ///< from clients, but for the base protocol's own
    std::uint64_t answers = 0;              ///< of blades, passed to clients
    std::uint64_t retransmitted = 0;        ///< requests that came with T set
    std::uint64_t sticky = 0;               ///< went to the blade of their session
    std::uint64_t placed = 0;               ///< first request of a session here
    std::uint64_t hinted = 0;               ///< of those placed: by Destination-Host
    std::uint64_t moved = 0;                ///< sessions whose blade was not usable
    std::uint64_t table_full = 0;           ///< placed without an entry, by rendezvous
    std::uint64_t without_session = 0;      ///< requests without a Session-Id
    std::uint64_t client_gone = 0;          ///< answers whose client has left
    std::uint64_t unexpected = 0;           ///< answers from clients, requests from blades
    std::uint64_t connections = 0;          ///< client connections accepted
    std::uint64_t connections_refused = 0;  ///< closed at once: the limit
    std::uint64_t peers_refused = 0;        ///< CERs answered with an error
    std::uint64_t bad_streams = 0;          ///< connections that could not be framed any more
    ResultCounts errors;                    ///< answers of our own to requests, by code
};

}  // namespace twinsite::slb::proxy
