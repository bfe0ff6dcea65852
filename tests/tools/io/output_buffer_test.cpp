// SPDX-License-Identifier: Apache-2.0
#include "tools/io/output_buffer.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::tools::io {
namespace {

TEST(OutputBuffer, GivesBackWhatWasAppendedHoweverItIsTaken) {
    std::mt19937 random(1);
    OutputBuffer buffer;
    std::uint8_t next_in = 0;
    std::uint8_t next_out = 0;
    std::size_t total = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::uint8_t> bytes(random() % 700);
        for (auto& byte : bytes) byte = next_in++;
        buffer.append(bytes);
        total += bytes.size();
        ASSERT_EQ(buffer.size(), total);
        const auto content = buffer.content();
        const std::size_t part = random() % (content.size() + 1);
        for (std::size_t i = 0; i < part; ++i) ASSERT_EQ(content[i], next_out++);
        buffer.drop(part);
        total -= part;
    }
    buffer.clear();
    EXPECT_TRUE(buffer.empty());
}

}  // namespace
}  // namespace twinsite::tools::io
