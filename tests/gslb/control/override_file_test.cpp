// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/override_file.hpp"

#include <gtest/gtest.h>

#include "gslb/control/error.hpp"

namespace twinsite::gslb::control {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using steering::Forced;

const Moment kStart{
    std::chrono::steady_clock::time_point(seconds(1000)), *parse_wall_time("2026-11-30T14:00:00Z")
};

Overrides two_entries() {
    Overrides out;
    out.set({{"ocs", "ocs-east"}, Forced::drain, "new \"disk\"", "ann", kStart.wall, std::nullopt});
    out.set(
        {{"ocs", "site:west"},
         Forced::down,
         "bad line",
         "bob",
         kStart.wall,
         kStart.monotonic + hours(1)}
    );
    return out;
}

TEST(OverrideFile, GivesBackWhatWasWritten) {
    const auto text = encode_overrides(two_entries(), kStart);
    const auto read = decode_overrides(text, kStart);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->entries().size(), 2U);
    const auto* east = read->find({"ocs", "ocs-east"});
    ASSERT_NE(east, nullptr);
    EXPECT_EQ(east->state, Forced::drain);
    EXPECT_EQ(east->reason, "new \"disk\"");
    EXPECT_EQ(east->author, "ann");
    EXPECT_EQ(east->set_at, kStart.wall);
    EXPECT_EQ(east->expires, std::nullopt);
    EXPECT_EQ(read->find({"ocs", "site:west"})->expires, kStart.monotonic + hours(1));
}

TEST(OverrideFile, ExpiryGoesOnWhileTheProgramIsAway) {
    const auto text = encode_overrides(two_entries(), kStart);
    // A new boot: the monotonic clock began anew, the wall clock went on for 20 minutes.
    const Moment later{
        std::chrono::steady_clock::time_point(seconds(5)), kStart.wall + std::chrono::minutes(20)
    };
    const auto read = decode_overrides(text, later);
    ASSERT_TRUE(read);
    EXPECT_EQ(
        read->find({"ocs", "site:west"})->expires, later.monotonic + std::chrono::minutes(40)
    );
}

TEST(OverrideFile, LeavesOutWhatExpiredMeanwhile) {
    const auto text = encode_overrides(two_entries(), kStart);
    const Moment later{kStart.monotonic, kStart.wall + hours(1)};
    const auto read = decode_overrides(text, later);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->entries().size(), 1U);
    EXPECT_NE(read->find({"ocs", "ocs-east"}), nullptr);
}

TEST(OverrideFile, ARunningOverrideIgnoresAStepOfTheWallClock) {
    // Written an hour after a clock step of +10 h: what is left is measured monotonically.
    const Moment stepped{kStart.monotonic + seconds(60), kStart.wall + hours(10)};
    const auto text = encode_overrides(two_entries(), stepped);
    const auto read = decode_overrides(text, stepped);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->find({"ocs", "site:west"})->expires, kStart.monotonic + hours(1));
}

TEST(OverrideFile, RefusesAnythingElseAsAWhole) {
    for (const auto* text : {
             "",
             "{",
             "[]",
             "{}",
             R"({"version":"1","overrides":[]})",
             R"({"version":1})",
             R"({"version":1,"overrides":{}})",
             R"({"version":1,"overrides":[1]})",
             R"({"version":1,"overrides":[{"service":"a","object":"b","state":"sideways","reason":"r","author":"a","set_at":"2026-11-30T14:00:00Z"}]})",
             R"({"version":1,"overrides":[{"service":"a","object":"b","state":"up","author":"a","set_at":"2026-11-30T14:00:00Z"}]})",
             R"({"version":1,"overrides":[{"service":"a","object":"b","state":"up","reason":"r","author":"a","set_at":"yesterday"}]})",
             R"({"version":1,"overrides":[{"service":"a","object":"b","state":"up","reason":"r","author":"a","set_at":"2026-11-30T14:00:00Z","expires_at":7}]})",
         }) {
        const auto read = decode_overrides(text, kStart);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error(), make_error_code(Errc::not_json)) << text;
    }
}

TEST(OverrideFile, TellsAFileOfANewerVersion) {
    const auto read = decode_overrides(R"({"version":2,"overrides":[]})", kStart);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), make_error_code(Errc::unknown_version));
}

TEST(WallTime, HasOneForm) {
    EXPECT_EQ(format_wall_time(kStart.wall), "2026-11-30T14:00:00Z");
    EXPECT_EQ(
        parse_wall_time("1970-01-01T00:00:01Z"), std::chrono::system_clock::time_point(seconds(1))
    );
    for (const auto* text :
         {"",
          "2026-11-30T14:00:00",
          "2026-11-30 14:00:00Z",
          "2026-13-30T14:00:00Z",
          "2026-02-30T14:00:00Z",
          "2026-11-30T24:00:00Z",
          "2026-11-3aT14:00:00Z",
          "0001-01-01T00:00:00Z",
          "9999-12-31T23:59:59Z"})
        EXPECT_EQ(parse_wall_time(text), std::nullopt) << text;
}

}  // namespace
}  // namespace twinsite::gslb::control
