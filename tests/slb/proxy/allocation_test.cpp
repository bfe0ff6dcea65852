// SPDX-License-Identifier: Apache-2.0
// The request path allocates nothing once it is warm.
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/slb/proxy/scripted_peer.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<bool> counting{false};

void* allocate(std::size_t size) {
    if (counting.load(std::memory_order_relaxed)) ++allocations;
    if (void* const out = std::malloc(size == 0 ? 1 : size)) return out;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate(size);
}
void* operator new[](std::size_t size) {
    return allocate(size);
}
void operator delete(void* at) noexcept {
    std::free(at);
}
void operator delete[](void* at) noexcept {
    std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
    std::free(at);
}
void operator delete[](void* at, std::size_t) noexcept {
    std::free(at);
}

namespace twinsite::slb::proxy::test {
namespace {

/// Reads and throws away, without allocating.
std::size_t drain(int fd, std::uint8_t* buffer, std::size_t size) {
    std::size_t total = 0;
    for (;;) {
        const auto got = ::recv(fd, buffer, size, MSG_DONTWAIT);
        if (got <= 0) return total;
        total += static_cast<std::size_t>(got);
    }
}

TEST(Allocation, NoneOnTheRequestPath) {
    Site site(2);
    auto client = site.connect();
    constexpr std::uint32_t kRequests = 64;
    constexpr int kRounds = 200;
    Bytes batch;
    for (std::uint32_t i = 0; i < kRequests; ++i) {
        const auto ccr = make_ccr("s;" + std::to_string(i), i, i, 2, 200);
        batch.insert(batch.end(), ccr.begin(), ccr.end());
    }
    // The blades' answers are made in place from what they got: header bits and nothing else.
    std::vector<std::uint8_t> buffer(1024 * 1024);
    const auto serve = [&](ScriptedBlade& blade) {
        std::size_t size = 0;
        const auto got = ::recv(blade.wire().fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got <= 0) return size;
        size = static_cast<std::size_t>(got);
        for (std::size_t at = 0; at < size; at += dia::load_u24(&buffer[at] + 1))
            buffer[at + 4] &= static_cast<std::uint8_t>(~dia::flag::kRequest);
        blade.wire().send(std::span(buffer).first(size));
        return size;
    };
    const auto round = [&] {
        client->send(batch);
        std::size_t served = 0;
        for (int i = 0; i < 1000 && served < batch.size(); ++i) {
            site.shard().turn(1ms);
            served += serve(site.blade(1));
            served += serve(site.blade(2));
        }
        std::size_t answered = 0;
        for (int i = 0; i < 1000 && answered < batch.size(); ++i) {
            site.shard().turn(1ms);
            answered += drain(client->fd(), buffer.data(), buffer.size());
        }
        return answered;
    };
    for (int i = 0; i < 20; ++i) ASSERT_EQ(round(), batch.size());
    counting = true;
    std::size_t answered = 0;
    for (int i = 0; i < kRounds; ++i) answered += round();
    counting = false;
    EXPECT_EQ(answered, batch.size() * kRounds);
    EXPECT_EQ(allocations.load(), 0u) << "for " << kRequests * kRounds << " requests";
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
