// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.hpp"

#include <gtest/gtest.h>

namespace twinsite::base::log {
namespace {

using namespace std::chrono_literals;

std::string line(Format format, const std::vector<Field>& fields) {
    return format_line(format, Level::warning, "peer_changed", fields.data(), fields.size());
}

TEST(Log, TextQuotesOnlyWhatAReaderCouldMistake) {
    EXPECT_EQ(
        line(Format::text, {{"peer", "b1"}, {"cause", "no answer"}, {"pending", 7}, {"up", false}}),
        "warning peer_changed peer=b1 cause=\"no answer\" pending=7 up=false"
    );
    EXPECT_EQ(line(Format::text, {{"empty", ""}}), "warning peer_changed empty=\"\"");
}

TEST(Log, JsonKeepsNumbersBareAndEscapesText) {
    EXPECT_EQ(
        line(Format::json, {{"peer", "b\"1\n"}, {"pending", 7}, {"took_ms", 5ms}}),
        R"({"level":"warning","event":"peer_changed","peer":"b\"1\u000a","pending":7,"took_ms":5})"
    );
}

TEST(Log, ALineCannotBeForgedByAValue) {
    const auto text = line(Format::text, {{"name", "x\nerror forged"}});
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Throttle, LetsOneThroughAPeriodAndCountsTheRest) {
    Throttle throttle(1s);
    const Throttle::Time start{100s};
    std::uint64_t held_back = 0;
    EXPECT_TRUE(throttle.allow(start, held_back));
    EXPECT_FALSE(throttle.allow(start + 1ms, held_back));
    EXPECT_FALSE(throttle.allow(start + 999ms, held_back));
    EXPECT_TRUE(throttle.allow(start + 1s, held_back));
    EXPECT_EQ(held_back, 2u);
}

}  // namespace
}  // namespace twinsite::base::log
