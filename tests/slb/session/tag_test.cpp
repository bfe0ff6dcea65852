// SPDX-License-Identifier: Apache-2.0
#include "slb/session/tag.hpp"

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace twinsite::slb::session;

Tag tag_of(const std::string& text, TagKey key = {1, 2}) {
    return make_tag(key, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Worked out once with an independent SipHash-1-3 (key 00..0f, input 00..0e).
TEST(Tag, IsSipHash13) {
    std::vector<std::uint8_t> input(15);
    std::iota(input.begin(), input.end(), std::uint8_t{0});
    EXPECT_EQ(
        make_tag({0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL}, input), 0xd320d86d2a519956ULL
    );
}

TEST(Tag, EveryByteCountsNulIncluded) {
    const std::set<Tag> tags = {
        tag_of(""),
        tag_of(std::string(1, '\0')),
        tag_of(std::string(2, '\0')),
        tag_of(std::string("\0\0c;1;1", 7)),
        tag_of("c;1;1"),
        tag_of("c;1;2"),
        tag_of("12345678"),
        tag_of("123456781"),
    };
    EXPECT_EQ(tags.size(), 8u);
}

TEST(Tag, DependsOnTheKey) {
    EXPECT_NE(tag_of("c;1;1", {1, 2}), tag_of("c;1;1", {1, 3}));
}

}  // namespace
