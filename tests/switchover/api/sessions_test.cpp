// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/sessions.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/api/fake_backend.hpp"

namespace twinsite::switchover::api {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class SessionsTest : public ::testing::Test {
protected:
    static fleet::Moment at(std::chrono::milliseconds after) {
        return {fleet::Time() + hours(100) + after, 1'800'000'000'000 + after.count()};
    }
    FakeBackend backend_;
    Sessions sessions_{backend_};
};

TEST_F(SessionsTest, AreFoundByTheDigestOfTheirTokenOnly) {
    const auto opened = sessions_.open("li", at(seconds(0)));
    EXPECT_EQ(sessions_.use(opened.token, at(seconds(1)).now), nullptr);
    const auto* found = sessions_.use(Sessions::digest_of(opened.token), at(seconds(1)).now);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->user, "li");
    EXPECT_EQ(found->csrf, opened.csrf);
    ASSERT_EQ(backend_.kept_sessions.size(), 1U);
    EXPECT_EQ(backend_.kept_sessions.begin()->first.find(opened.token), std::string::npos);
}

TEST_F(SessionsTest, EndWhenIdleAndAfterTwelveHours) {
    const auto idle = Sessions::digest_of(sessions_.open("li", at(seconds(0))).token);
    EXPECT_NE(sessions_.use(idle, at(minutes(29)).now), nullptr);
    EXPECT_NE(sessions_.use(idle, at(minutes(58)).now), nullptr);
    EXPECT_EQ(sessions_.use(idle, at(minutes(88)).now), nullptr);
    const auto busy = Sessions::digest_of(sessions_.open("li", at(hours(2))).token);
    for (int quarter = 0; quarter < 12 * 4; ++quarter)
        ASSERT_NE(sessions_.use(busy, at(hours(2) + minutes(15) * quarter).now), nullptr);
    EXPECT_EQ(sessions_.use(busy, at(hours(14)).now), nullptr);
    EXPECT_TRUE(backend_.kept_sessions.empty());
}

TEST_F(SessionsTest, AreLookedAtWithoutBeingUsed) {
    const auto digest = Sessions::digest_of(sessions_.open("li", at(seconds(0))).token);
    EXPECT_NE(sessions_.find(digest, at(minutes(29)).now), nullptr);
    EXPECT_EQ(sessions_.find(digest, at(minutes(31)).now), nullptr);
    EXPECT_EQ(sessions_.find("none", at(minutes(1)).now), nullptr);
}

TEST_F(SessionsTest, OutliveARestartButNotTheirEnd) {
    const auto digest = Sessions::digest_of(sessions_.open("li", at(seconds(0))).token);
    Sessions later(backend_);
    later.load(at(hours(11)));
    EXPECT_NE(later.use(digest, at(hours(11)).now), nullptr);
    Sessions too_late(backend_);
    too_late.load(at(hours(12)));
    EXPECT_EQ(too_late.use(digest, at(hours(12)).now), nullptr);
    EXPECT_TRUE(backend_.kept_sessions.empty());
}

TEST_F(SessionsTest, AClockSetBackLengthensNone) {
    const auto digest = Sessions::digest_of(sessions_.open("li", at(seconds(0))).token);
    Sessions later(backend_);
    auto moment = at(seconds(0));
    moment.wall_ms -= 48LL * 3'600'000;
    later.load(moment);
    for (int quarter = 0; quarter < 12 * 4; ++quarter)
        ASSERT_NE(later.use(digest, at(minutes(15) * quarter).now), nullptr);
    EXPECT_EQ(later.use(digest, at(hours(12)).now), nullptr);
}

TEST_F(SessionsTest, AUserHasTenAtMostAndMayEndTheOthers) {
    std::vector<std::string> digests;
    for (int i = 0; i < 12; ++i)
        digests.push_back(Sessions::digest_of(sessions_.open("li", at(seconds(i))).token));
    const auto other = Sessions::digest_of(sessions_.open("wang", at(seconds(20))).token);
    EXPECT_EQ(sessions_.size(), 11U);
    EXPECT_EQ(sessions_.use(digests[1], at(seconds(30)).now), nullptr);
    EXPECT_NE(sessions_.use(digests[2], at(seconds(30)).now), nullptr);
    sessions_.close_others("li", digests[11]);
    EXPECT_EQ(sessions_.size(), 2U);
    EXPECT_NE(sessions_.use(other, at(seconds(30)).now), nullptr);
}

TEST_F(SessionsTest, WorkWhileTheStoreDoesNot) {
    backend_.store_works = false;
    const auto digest = Sessions::digest_of(sessions_.open("li", at(seconds(0))).token);
    EXPECT_NE(sessions_.use(digest, at(seconds(1)).now), nullptr);
}

TEST(Cookies, AreFoundByTheirWholeName) {
    EXPECT_EQ(find_cookie("a=1; twinsite_session=T; b=2", "twinsite_session"), "T");
    EXPECT_EQ(find_cookie("xtwinsite_session=T", "twinsite_session"), "");
    EXPECT_EQ(find_cookie("twinsite_sessions=T", "twinsite_session"), "");
    EXPECT_EQ(find_cookie("twinsite_session", "twinsite_session"), "");
    EXPECT_EQ(find_cookie(";;; =; twinsite_session=", "twinsite_session"), "");
}

}  // namespace
}  // namespace twinsite::switchover::api
