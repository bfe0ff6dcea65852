// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/output_ring.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "wire/diameter/bytes.hpp"

namespace twinsite::slb::proxy {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A frame of this size, filled with `fill`.
Bytes frame(std::size_t size, std::uint8_t fill) {
    Bytes out(size, fill);
    out[0] = 1;
    wire::diameter::store_u24(out.data() + 1, static_cast<std::uint32_t>(size));
    return out;
}

TEST(OutputRing, GivesAllBytesInOrderWhateverTheReaderTakes) {
    std::mt19937 random(7);
    OutputRing ring;
    Bytes written;
    Bytes read;
    for (int i = 0; i < 20'000; ++i) {
        const auto message = frame(20 + 4 * (random() % 300), static_cast<std::uint8_t>(i));
        ring.append(message);
        written.insert(written.end(), message.begin(), message.end());
        if (random() % 3 == 0) continue;
        const auto waiting = ring.waiting();
        const auto take = random() % 4 == 0 ? waiting.size() : random() % (waiting.size() + 1);
        read.insert(read.end(), waiting.begin(), waiting.begin() + static_cast<long>(take));
        if (take > 0) ring.sent(take);
    }
    const auto waiting = ring.waiting();
    read.insert(read.end(), waiting.begin(), waiting.end());
    EXPECT_EQ(read, written);
}

TEST(OutputRing, DropUnsentKeepsTheHalfSentMessage) {
    OutputRing ring;
    for (std::uint8_t i = 1; i <= 4; ++i) ring.append(frame(100, i));
    ring.sent(130);
    ring.drop_unsent();
    ASSERT_EQ(ring.size(), 70u);
    EXPECT_EQ(ring.waiting()[0], 2u);
    ring.append(frame(40, 9));
    ring.sent(70);
    EXPECT_EQ(ring.size(), 40u);
    EXPECT_EQ(ring.waiting()[10], 9u);
}

TEST(OutputRing, DropUnsentAtABoundaryDropsAll) {
    OutputRing ring;
    for (std::uint8_t i = 1; i <= 4; ++i) ring.append(frame(100, i));
    ring.sent(200);
    ring.drop_unsent();
    EXPECT_TRUE(ring.empty());
    ring.append(frame(40, 9));
    EXPECT_EQ(ring.size(), 40u);
}

}  // namespace
}  // namespace twinsite::slb::proxy
