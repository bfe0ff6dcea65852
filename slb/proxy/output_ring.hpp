// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace twinsite::slb::proxy {

/// What waits to be sent on one link: whole messages, contiguous, so that one system call takes
/// them all. Grows when the peer reads slower than we write; gives the memory back when empty.
class OutputRing {
public:
    OutputRing() = default;

    void append(std::span<const std::uint8_t> message);
    std::span<const std::uint8_t> waiting() const { return {bytes_.get() + head_, tail_ - head_}; }
    std::size_t size() const { return tail_ - head_; }
    bool empty() const { return head_ == tail_; }
    /// So many of the waiting bytes are with the kernel now.
    void sent(std::size_t bytes);
    /// Forgets all messages of which no byte was sent; a half-sent one must be finished.
    void drop_unsent();
    /// Forgets everything, for a new connection.
    void clear() { head_ = tail_ = boundary_ = 0; }

private:
    void make_room(std::size_t bytes);

    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t head_ = 0;      ///< first byte not sent
    std::size_t tail_ = 0;      ///< end of the bytes
    std::size_t boundary_ = 0;  ///< start of the message in which head_ lies; at most head_
};

}  // namespace twinsite::slb::proxy
