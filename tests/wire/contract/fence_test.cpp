// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/fence.hpp"

#include <limits>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace twinsite::wire::contract {
namespace {

TEST(Fence, GenerationCountsBeforeRevision) {
    EXPECT_LT((Fence{1, 9}), (Fence{2, 1}));
    EXPECT_LT((Fence{1, 1}), (Fence{1, 2}));
    EXPECT_EQ(to_string(Fence{1, 7}), "1.7");
}

TEST(Fence, ReadsWholeNumbersOnly) {
    const auto read = [](const char* text) {
        const auto value = boost::json::parse(text);
        return fence_from_json(&value);
    };
    EXPECT_EQ(*read(R"({"generation":1,"revision":7})"), (Fence{1, 7}));
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(*read(R"({"generation":0,"revision":18446744073709551615})"), (Fence{0, kMost}));
    for (const char* bad :
         {"{}",
          "[]",
          "7",
          "null",
          R"({"generation":1})",
          R"({"generation":1,"revision":-1})",
          R"({"generation":1,"revision":1.5})",
          R"({"generation":1,"revision":"7"})",
          R"({"generation":1,"revision":18446744073709551616})"})
        EXPECT_FALSE(read(bad)) << bad;
    EXPECT_FALSE(fence_from_json(nullptr));
}

TEST(FenceGuard, AcceptsTheHighestAgainAndRefusesLower) {
    FenceGuard guard;
    EXPECT_EQ(guard.highest("control"), Fence{});
    EXPECT_TRUE(guard.accept("control", {1, 5}));
    EXPECT_TRUE(guard.accept("control", {1, 5}));
    EXPECT_FALSE(guard.accept("control", {1, 4}));
    EXPECT_TRUE(guard.accept("control", {2, 1}));
    EXPECT_FALSE(guard.accept("control", {1, 9}));
    EXPECT_EQ(guard.highest("control"), (Fence{2, 1}));
    EXPECT_TRUE(guard.accept("other", {1, 1})) << "scopes stand apart";
}

TEST(FenceGuard, SurvivesItsFile) {
    FenceGuard guard;
    guard.accept("control", {1, 5});
    guard.accept("east/if1", {0, std::numeric_limits<std::uint64_t>::max()});
    EXPECT_EQ(*FenceGuard::from_json_text(guard.to_json_text()), guard);
    EXPECT_EQ(*FenceGuard::from_json_text(FenceGuard().to_json_text()), FenceGuard());
}

TEST(FenceGuard, DamagedFilesAreErrors) {
    const auto error = [](std::string_view text) {
        return FenceGuard::from_json_text(text).error();
    };
    EXPECT_EQ(error(""), Errc::not_json);
    EXPECT_EQ(error("[]"), Errc::not_json);
    EXPECT_EQ(error("{}"), Errc::not_json);
    EXPECT_EQ(error(R"({"schema":2,"scopes":{}})"), Errc::unknown_schema);
    EXPECT_EQ(error(R"({"schema":1,"scopes":[]})"), Errc::not_json);
    EXPECT_EQ(error(R"({"schema":1,"scopes":{"a":1}})"), Errc::bad_fence);
    EXPECT_EQ(error(std::string(70'000, ' ')), Errc::too_large);
}

}  // namespace
}  // namespace twinsite::wire::contract
