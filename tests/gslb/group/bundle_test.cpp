// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/bundle.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::group {
namespace {

TEST(Bundle, FilesComeBackByteForByte) {
    const Files files{
        {"intent.yaml", "sites: [east]\n"},
        {"zones/example.net.zone", std::string("a\0b\nc", 5)},
        {"empty", ""}
    };
    const auto content = pack(files);
    const auto back = unpack(content);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, files);
    EXPECT_EQ(pack(*back), content);
}

TEST(Bundle, APathCannotLeaveTheFolder) {
    for (const char* path :
         {"", "/etc/passwd", "..", "../x", "a/../b", "a//b", "a/", ".hidden", "a/.b", "a b", "a\nb"
         })
        EXPECT_FALSE(is_bundle_path(path)) << path;
    for (const char* path : {"intent.yaml", "zones/example.net.zone", "geo/City.mmdb", "a-b_c+1@2"})
        EXPECT_TRUE(is_bundle_path(path)) << path;
    EXPECT_EQ(unpack("twinsite intent 1\n1 ../x\na\n").error(), Errc::bad_path);
}

TEST(Bundle, WhatIsCutOrInTheWrongOrderIsRefused) {
    const auto content = pack({{"a", "1"}, {"b", "2"}});
    ASSERT_TRUE(unpack(content));
    // A cut after a whole file is a shorter bundle; the header's hash and size tell.
    for (std::size_t size = 0; size < content.size(); ++size) {
        const auto part = unpack(content.substr(0, size));
        if (part) EXPECT_LT(part->size(), 2U) << size;
    }
    EXPECT_FALSE(unpack("twinsite intent 1\n1 b\n2\n1 a\n1\n"));
    EXPECT_FALSE(unpack("twinsite intent 1\n1 a\n2\n1 a\n1\n"));
    EXPECT_FALSE(unpack("twinsite intent 1\n01 a\n2\n"));
    EXPECT_FALSE(unpack("twinsite intent 2\n"));
}

}  // namespace
}  // namespace twinsite::gslb::group
