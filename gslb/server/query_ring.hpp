// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/answer/answer.hpp"

namespace twinsite::gslb::server {

/// One query and what became of it.
struct QueryRecord {
    std::uint32_t time_s = 0;  ///< since 1970, modulo 2^32
    base::net::Endpoint client;
    answer::Transport transport = answer::Transport::udp;
    answer::Outcome outcome;
    std::uint16_t reply_bytes = 0;  ///< 0: not answered
    std::uint64_t snapshot = 0;     ///< version of the answers in force
    std::uint16_t type = 0;
    std::uint16_t klass = 0;
    std::vector<std::uint8_t> name;  ///< wire form as asked; empty: there was no readable one
};

/// The last queries of one thread. Written in binary by that thread without a lock, a format or an
/// allocation; read by any thread, which leaves out what is being overwritten meanwhile.
class QueryRing {
public:
    /// `entries` is rounded up to a power of two; 0: nothing is kept.
    explicit QueryRing(std::size_t entries);

    bool is_on() const { return slots_ != nullptr; }
    /// The owner only, while is_on(). `query` is the packet as it came.
    void add(
        const base::net::Endpoint& client,
        answer::Transport transport,
        std::span<const std::uint8_t> query,
        const answer::Outcome& outcome,
        std::size_t reply_bytes,
        std::uint64_t snapshot,
        std::uint32_t now_s
    ) noexcept;
    /// At most `count`, the latest first.
    std::vector<QueryRecord> last(std::size_t count) const;

private:
    static constexpr std::size_t kQuestionBytes = 259;  // a name of 255, type, class
    static constexpr std::size_t kFixedWords = 7;
    static constexpr std::size_t kWords = 40;
    static_assert((kWords - kFixedWords) * 8 >= kQuestionBytes);
    using Word = std::atomic<std::uint64_t>;
    /// All words atomic (plain moves): a reader may look while the owner writes.
    struct alignas(64) Slot {
        Word turn{0};  ///< odd while it is written; else twice the number of writings
        std::array<Word, kWords - 1> words{};
    };
    static bool read(const Slot& slot, QueryRecord& out);

    std::size_t mask_ = 0;
    std::unique_ptr<Slot[]> slots_;
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace twinsite::gslb::server
