// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/net/endpoint.hpp"

namespace twinsite::gslb::server {

/// Messages that are no plain questions: NOTIFY (RFC 1996), AXFR (RFC 5936), IXFR (RFC 1995), and
/// whatever carries a TSIG (RFC 8945), plain questions included. The server hands them over by
/// their first look and sends what comes back. Implemented above this room (gslb/transfer).
///
/// Every function is called by any server thread at any time; none of this is the common path, so
/// it may use the heap. It never blocks on the network, on a disk or on another thread's work.
class TransferSeam {
public:
    enum class Transport : std::uint8_t { udp, tcp };

    struct Question {
        std::span<const std::uint8_t> message;  ///< at least a header; valid during the call
        base::net::Endpoint peer;
        Transport transport = Transport::tcp;
        std::size_t udp_room_bytes = 512;  ///< over UDP: no reply is longer
    };

    /// The reply to one message: none, one or many messages, made when the connection can take
    /// them, so that a slow client costs no memory. Owned by one connection.
    class Reply {
    public:
        Reply() = default;
        virtual ~Reply() = default;
        Reply(const Reply&) = delete;
        Reply& operator=(const Reply&) = delete;
        /// Writes the next message (without the length of TCP) and gives its size; 0: that was all.
        /// `room` has 65,535 bytes over TCP.
        virtual std::size_t next(std::span<std::uint8_t> room) = 0;
        /// After the end: the connection is to be closed (something went wrong half way, and the
        /// client must not take what came for the whole).
        virtual bool failed() const { return false; }
    };

    /// The ordinary answer to a query of this peer over this transport: answer::answer() with
    /// everything bound but these. 0: none. Only called during handle().
    using Answer =
        std::function<std::size_t(std::span<const std::uint8_t> query, std::span<std::uint8_t>)>;

    TransferSeam() = default;
    virtual ~TransferSeam() = default;
    TransferSeam(const TransferSeam&) = delete;
    TransferSeam& operator=(const TransferSeam&) = delete;

    /// Null: no answer at all. Over UDP the reply has at most one message.
    virtual std::unique_ptr<Reply> handle(const Question& question, const Answer& answer) = 0;
};

/// Whether `message` is for TransferSeam, by its form alone: NOTIFY, a question for AXFR (over TCP)
/// or IXFR, or a TSIG as the last record. Anything that is not well formed is not: the ordinary way
/// answers it. A walk over the whole message: ask only when the common path has found something
/// unusual (opcode, type, a record that is not OPT), or over TCP.
bool is_for_transfer_seam(
    std::span<const std::uint8_t> message, TransferSeam::Transport transport
) noexcept;

}  // namespace twinsite::gslb::server
