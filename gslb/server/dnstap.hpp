// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error/result.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/answer/answer.hpp"
#include "gslb/server/counters.hpp"

namespace twinsite::gslb::server {

/// Copies of queries and replies as dnstap frames, over a Unix socket to whoever reads them there.
/// A thread of libfstrm writes and connects again when the reader comes back; a thread that answers
/// queries only puts frames into a queue of its own and never waits: what does not fit is dropped.
class Dnstap {
public:
    /// `identity` and `version`: at most 255 bytes each; they name this server. Fails only when the
    /// thread cannot be made; whether somebody reads does not matter.
    static base::Result<std::shared_ptr<Dnstap>> open(
        const std::string& socket_path, std::string identity, std::string version
    );
    ~Dnstap();  ///< All taps are gone. Writes what waits, for a moment.
    Dnstap(const Dnstap&) = delete;
    Dnstap& operator=(const Dnstap&) = delete;

    /// The way of one thread into the stream. Used by that thread only.
    class Tap {
    public:
        ~Tap();
        Tap(const Tap&) = delete;
        Tap& operator=(const Tap&) = delete;

        /// Once for each batch, before the copies: the clock of their times.
        void take_time();
        /// The query, and the reply unless it is empty. Counts in `counters`, the thread's own.
        void copy(
            Counters& counters,
            const base::net::Endpoint& client,
            const base::net::Endpoint& server,
            answer::Transport transport,
            std::span<const std::uint8_t> query,
            std::span<const std::uint8_t> reply
        ) noexcept;

    private:
        friend class Dnstap;
        struct Impl;
        explicit Tap(std::unique_ptr<Impl> impl);
        std::unique_ptr<Impl> impl_;
    };
    /// Null when as many threads have one as the writer can serve. The tap keeps this alive.
    static std::unique_ptr<Tap> make_tap(const std::shared_ptr<Dnstap>& dnstap);

private:
    struct Impl;
    explicit Dnstap(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::server
