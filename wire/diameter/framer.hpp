// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "wire/diameter/error.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::wire::diameter {

/// Cuts a byte stream into messages, in one linear buffer and without copying them:
///
///     auto room = framer.prepare();              // read into this
///     framer.commit(bytes_read);
///     while (auto message = framer.next()) ...   // changeable in place, until the next prepare()
///     if (framer.fault()) ...                    // the stream cannot be framed any more
///
/// Memory is `initial_bytes` while reads are small; it doubles up to `max_buffer_bytes` when reads
/// fill it (fewer system calls under load) and always holds one message of the largest size.
class Framer {
public:
    struct Limits {
        std::uint32_t max_message_bytes = kDefaultMaxMessageBytes;  ///< 20..kMaxMessageBytes
        std::size_t initial_bytes = std::size_t{16} * 1024;
        std::size_t max_buffer_bytes = std::size_t{256} * 1024;
    };
    explicit Framer(Limits limits);
    Framer() : Framer(Limits{}) {}

    /// Room for the next read, never empty. Ends the life of the messages handed out before.
    std::span<std::uint8_t> prepare();
    /// So many bytes of the prepared room now hold received bytes.
    void commit(std::size_t bytes);
    /// For tests and small inputs: copies `bytes` in. Growth stays bounded only by the caller.
    void feed(std::span<const std::uint8_t> bytes);

    /// The next complete message, or nullopt when only a part of one (or a fault) is left.
    std::optional<std::span<std::uint8_t>> next() {
        const std::size_t left = end_ - begin_;
        if (left < 4 || fault_) return std::nullopt;
        std::uint8_t* const here = buffer_.get() + begin_;
        if (const auto wrong = check_frame(here, limits_.max_message_bytes)) {
            fault_ = wrong;
            return std::nullopt;
        }
        const std::size_t length = load_u24(here + 1);
        if (left < length) return std::nullopt;
        begin_ += length;
        return std::span<std::uint8_t>(here, length);
    }

    std::optional<Errc> fault() const { return fault_; }
    /// At a fault: what has been received from the message at fault on, for an error answer when
    /// its 20 bytes of header are there.
    std::span<const std::uint8_t> rest() const { return {buffer_.get() + begin_, end_ - begin_}; }
    std::size_t buffered_bytes() const { return end_ - begin_; }
    std::size_t capacity_bytes() const { return capacity_; }
    /// Forgets all received bytes and the fault, for the next connection.
    void reset();

private:
    void reallocate(std::size_t bytes);

    const Limits limits_;
    std::unique_ptr<std::uint8_t[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;  ///< of the first byte not handed out
    std::size_t end_ = 0;    ///< of the received bytes
    bool filled_ = false;    ///< the last read took all the room
    std::optional<Errc> fault_;
};

}  // namespace twinsite::wire::diameter
