// SPDX-License-Identifier: Apache-2.0
#include "wire/group/frame.hpp"

#include <gtest/gtest.h>

namespace twinsite::wire::group {
namespace {

TEST(GroupFrame, TwoFramesAreFoundWhateverTheCut) {
    const Frame first{2, Kind::digest, "{\"schema\":1}"};
    const Frame second{1, Kind::heartbeat, ""};
    const auto bytes = encode(first) + encode(second);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        FrameReader reader;
        std::vector<Frame> found;
        for (const auto& part : {bytes.substr(0, cut), bytes.substr(cut)}) {
            reader.feed(part);
            for (;;) {
                auto next = reader.next();
                ASSERT_TRUE(next) << cut;
                if (!*next) break;
                found.push_back(**next);
            }
        }
        ASSERT_EQ(found.size(), 2U) << cut;
        EXPECT_EQ(found[0], first);
        EXPECT_EQ(found[1], second);
        EXPECT_EQ(reader.buffered(), 0U);
    }
}

TEST(GroupFrame, ALengthBeyondTheLimitIsAnErrorBeforeItsBytesCome) {
    FrameReader reader;
    reader.feed(std::string("\x7f\xff\xff\xff", 4));
    const auto next = reader.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error(), Errc::frame_too_large);
}

TEST(GroupFrame, ALengthShorterThanAHeaderIsAnError) {
    FrameReader reader;
    reader.feed(std::string("\0\0\0\3abc", 7));
    EXPECT_FALSE(reader.next());
}

TEST(GroupFrame, TheLargestPayloadFits) {
    const Frame largest{2, Kind::intent_part, std::string(kMaxPayloadBytes, 'x')};
    FrameReader reader;
    reader.feed(encode(largest));
    const auto next = reader.next();
    ASSERT_TRUE(next && *next);
    EXPECT_EQ(**next, largest);
}

TEST(GroupFrame, AVersionThatNobodySpeaksIsAnError) {
    FrameReader reader;
    reader.feed(encode({kLastVersion + 1, Kind::digest, ""}));
    const auto next = reader.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error(), Errc::unknown_version);
}

TEST(GroupFrame, AHelloIsReadWhateverItsVersion) {
    FrameReader reader;
    reader.feed(encode({kLastVersion + 1, Kind::hello, "x"}));
    const auto next = reader.next();
    ASSERT_TRUE(next && *next);
    EXPECT_EQ((*next)->payload, "x");
}

TEST(GroupFrame, VersionsAgreeOnTheHighestCommonOne) {
    EXPECT_EQ(agree(1, 2, 1, 2), 2);
    EXPECT_EQ(agree(1, 2, 2, 3), 2);
    EXPECT_EQ(agree(2, 3, 1, 2), 2);
    EXPECT_EQ(agree(1, 2, 3, 4), std::nullopt);
}

}  // namespace
}  // namespace twinsite::wire::group
