// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/query_ring.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::server {

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// Places of the words behind `turn`.
enum Place : std::size_t { kTimes, kSizes, kSteered, kMore, kSnapshot, kAddress, kQuestion = 7 };

constexpr std::uint64_t pack(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return a << 48 | b << 32 | c << 16 | d;
}

constexpr std::uint16_t part(std::uint64_t word, unsigned index) {
    return static_cast<std::uint16_t>(word >> (48 - 16 * index));
}

}  // namespace

QueryRing::QueryRing(std::size_t entries) {
    if (entries == 0) return;
    const std::size_t count = std::bit_ceil(entries);
    slots_ = std::make_unique<Slot[]>(count);
    mask_ = count - 1;
}

void QueryRing::add(
    const base::net::Endpoint& client,
    answer::Transport transport,
    std::span<const std::uint8_t> query,
    const answer::Outcome& outcome,
    std::size_t reply_bytes,
    std::uint64_t snapshot,
    std::uint32_t now_s
) noexcept {
    const std::uint64_t number = next_.load(memory_order_relaxed);
    Slot& slot = slots_[number & mask_];
    slot.turn.store(2 * number + 1, memory_order_relaxed);
    std::atomic_thread_fence(memory_order_release);
    auto* const words = slot.words.data();
    const std::size_t question = query.size() >= wire::dns::kHeaderBytes + outcome.question_bytes
                                     ? std::min<std::size_t>(outcome.question_bytes, kQuestionBytes)
                                     : 0;
    const bool v6 = client.address.family == base::text::Family::v6;
    const std::uint64_t signs = (transport == answer::Transport::tcp ? 1U : 0U) | (v6 ? 2U : 0U) |
                                (outcome.cookie_valid ? 4U : 0U);
    words[kTimes].store(pack(0, client.port, 0, 0) | now_s, memory_order_relaxed);
    words[kSizes].store(
        pack(question, reply_bytes, outcome.rcode, outcome.client_class), memory_order_relaxed
    );
    words[kSteered].store(
        std::uint64_t{outcome.steered} << 32 | outcome.variant, memory_order_relaxed
    );
    words[kMore].store(
        pack(signs, outcome.scope, static_cast<std::uint64_t>(outcome.kind), 0),
        memory_order_relaxed
    );
    words[kSnapshot].store(snapshot, memory_order_relaxed);
    words[kAddress].store(wire::dns::load_word(client.address.bytes.data()), memory_order_relaxed);
    words[kAddress + 1].store(
        wire::dns::load_word(client.address.bytes.data() + 8), memory_order_relaxed
    );
    const std::uint8_t* from = query.data() + wire::dns::kHeaderBytes;
    std::size_t at = kQuestion;
    std::size_t left = question;
    for (; left >= 8; left -= 8, from += 8)
        words[at++].store(wire::dns::load_word(from), memory_order_relaxed);
    if (left > 0) {
        std::uint64_t rest = 0;
        std::memcpy(&rest, from, left);
        words[at].store(rest, memory_order_relaxed);
    }
    slot.turn.store(2 * number + 2, memory_order_release);
    next_.store(number + 1, memory_order_release);
}

bool QueryRing::read(const Slot& slot, QueryRecord& out) {
    const std::uint64_t turn = slot.turn.load(memory_order_acquire);
    if (turn == 0 || turn % 2 != 0) return false;
    std::array<std::uint64_t, kWords - 1> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = slot.words[i].load(memory_order_relaxed);
    std::atomic_thread_fence(memory_order_acquire);
    if (slot.turn.load(memory_order_relaxed) != turn) return false;

    const std::uint16_t signs = part(words[kMore], 0);
    out.time_s = static_cast<std::uint32_t>(words[kTimes]);
    out.client.port = part(words[kTimes], 1);
    out.client.address.family = (signs & 2) != 0 ? base::text::Family::v6 : base::text::Family::v4;
    std::memcpy(out.client.address.bytes.data(), &words[kAddress], 16);
    out.transport = (signs & 1) != 0 ? answer::Transport::tcp : answer::Transport::udp;
    out.reply_bytes = part(words[kSizes], 1);
    out.snapshot = words[kSnapshot];
    auto& outcome = out.outcome;
    outcome.cookie_valid = (signs & 4) != 0;
    outcome.scope = static_cast<std::uint8_t>(part(words[kMore], 1));
    outcome.kind = static_cast<answer::Outcome::Kind>(part(words[kMore], 2));
    outcome.question_bytes = part(words[kSizes], 0);
    outcome.rcode = part(words[kSizes], 2);
    outcome.client_class = part(words[kSizes], 3);
    outcome.steered = static_cast<std::uint32_t>(words[kSteered] >> 32);
    outcome.variant = static_cast<std::uint32_t>(words[kSteered]);
    if (outcome.question_bytes > 4) {
        std::array<std::uint8_t, kQuestionBytes> question;
        std::memcpy(question.data(), &words[kQuestion], outcome.question_bytes);
        const std::size_t name = outcome.question_bytes - std::size_t{4};
        out.name.assign(question.begin(), question.begin() + static_cast<std::ptrdiff_t>(name));
        out.type = wire::dns::load16(question.data() + name);
        out.klass = wire::dns::load16(question.data() + name + 2);
    }
    return true;
}

std::vector<QueryRecord> QueryRing::last(std::size_t count) const {
    std::vector<QueryRecord> out;
    if (!is_on()) return out;
    const std::uint64_t end = next_.load(memory_order_acquire);
    const std::uint64_t most = std::min<std::uint64_t>({count, end, mask_ + 1});
    for (std::uint64_t i = 1; i <= most; ++i) {
        QueryRecord record;
        if (read(slots_[(end - i) & mask_], record)) out.push_back(std::move(record));
    }
    return out;
}

}  // namespace twinsite::gslb::server
