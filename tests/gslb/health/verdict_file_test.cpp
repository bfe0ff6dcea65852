// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict_file.hpp"

#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{std::chrono::seconds(1'800'000'000)};
const SavedVerdicts kVerdicts{
    {"tcp 127.0.1.20:3868", {State::up, 1500ms}},
    {"http 127.0.2.20:8440 GET \"/readyz\"", {State::down, 0ms}},
};

TEST(VerdictFile, AddsTheTimeThatPassedToTheAges) {
    const auto read = from_json(to_json(kVerdicts, kNow), kNow + 60s);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->at("tcp 127.0.1.20:3868"), (SavedVerdict{State::up, 61500ms}));
    EXPECT_EQ(
        read->at("http 127.0.2.20:8440 GET \"/readyz\""), (SavedVerdict{State::down, 60000ms})
    );
}

TEST(VerdictFile, AClockThatWasSetBackAddsNothing) {
    EXPECT_EQ(from_json(to_json(kVerdicts, kNow), kNow - 1h), kVerdicts);
}

TEST(VerdictFile, RefusesWhatItDidNotWrite) {
    for (const char* text :
         {"",
          "[]",
          "{}",
          "{\"format\":2,\"written_at_ms\":1,\"verdicts\":{}}",
          "{\"format\":1,\"verdicts\":{}}",
          "{\"format\":1,\"written_at_ms\":-1,\"verdicts\":{}}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":[]}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":{\"a\":1}}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":{\"a\":{\"state\":\"up\"}}}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":{\"a\":{\"state\":\"odd\",\"age_ms\":1}}"
          "}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":{\"a\":{\"state\":\"up\",\"age_ms\":-1}}"
          "}",
          "{\"format\":1,\"written_at_ms\":1,\"verdicts\":{}"})
        EXPECT_EQ(from_json(text, kNow), std::nullopt) << text;
}

TEST(VerdictFile, HugeNumbersDoNotOverflow) {
    const auto read = from_json(
        R"({"format":1,"written_at_ms":0,"verdicts":)"
        R"({"a":{"state":"up","age_ms":9223372036854775807}}})",
        kNow
    );
    ASSERT_TRUE(read);
    EXPECT_GT(read->at("a").age, 24h * 365);
}

TEST(VerdictFile, IsReplacedWholeAndReadBack) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("verdicts.json");
    ASSERT_TRUE(write_verdicts(path, {{"old", {State::up, 1ms}}}, kNow));
    ASSERT_TRUE(write_verdicts(path, kVerdicts, kNow));
    const auto read = read_verdicts(path, kNow);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, kVerdicts);
    struct stat left{};
    EXPECT_NE(::stat((path + ".new").c_str(), &left), 0);
}

TEST(VerdictFile, NoFileIsEmptyAndABrokenOneAnError) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("verdicts.json");
    ASSERT_TRUE(read_verdicts(path, kNow));
    EXPECT_TRUE(read_verdicts(path, kNow)->empty());
    std::ofstream(path) << "{\"format\":1,\"wri";
    EXPECT_FALSE(read_verdicts(path, kNow));
    EXPECT_FALSE(read_verdicts(folder.path(), kNow)) << "a folder";
    EXPECT_FALSE(write_verdicts(folder.file("absent/verdicts.json"), kVerdicts, kNow));
}

}  // namespace
}  // namespace twinsite::gslb::health
