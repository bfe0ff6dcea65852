// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/requests.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::api {
namespace {

template <class T>
std::string wrong(const Decoded<T>& decoded) {
    const auto* bad = std::get_if<BadBody>(&decoded);
    return bad ? bad->text : "";
}

TEST(ApiRequests, ARunIsReadWithItsOverrides) {
    const auto decoded = decode_run_request(
        R"({"scenario":"site-east-down","reason":"drill","variant":"soft",
            "overrides":[{"rule":"blind","reason":"seen by eye"}]})"
    );
    ASSERT_EQ(wrong(decoded), "");
    const auto& run = std::get<RunRequest>(decoded);
    EXPECT_EQ(run.scenario, "site-east-down");
    EXPECT_EQ(run.variant, "soft");
    ASSERT_EQ(run.overrides.size(), 1U);
    EXPECT_EQ(run.overrides[0].rule, "blind");
}

TEST(ApiRequests, HostileBodiesAreRefusedWithASentence) {
    EXPECT_EQ(wrong(decode_run_request("")), "the body must be a JSON object");
    EXPECT_EQ(wrong(decode_run_request("[]")), "the body must be a JSON object");
    EXPECT_EQ(wrong(decode_run_request("{")), "the body must be a JSON object");
    EXPECT_EQ(wrong(decode_run_request(std::string(100'000, '['))), "the body is too large");
    EXPECT_EQ(
        wrong(decode_run_request(std::string(10'000, '['))), "the body must be a JSON object"
    );
    EXPECT_EQ(wrong(decode_run_request("{}")), "'scenario' is missing");
    EXPECT_EQ(wrong(decode_run_request(R"({"scenario":7})")), "'scenario' must be a text");
    EXPECT_EQ(wrong(decode_run_request(R"({"scenario":""})")), "'scenario' must not be empty");
    EXPECT_EQ(
        wrong(decode_run_request(R"({"scenario":"a\nb"})")),
        "'scenario' must not hold control characters"
    );
    EXPECT_EQ(
        wrong(decode_run_request(R"({"scenario":"a","reson":"b"})")), "unknown member 'reson'"
    );
    EXPECT_EQ(
        wrong(decode_run_request(R"({"scenario":"a","overrides":[{"rule":"x"}]})")),
        "'overrides': 'reason' is missing"
    );
    EXPECT_EQ(
        wrong(decode_run_request(R"({"scenario":"a","overrides":["x"]})")),
        "'overrides': each must be an object"
    );
    EXPECT_EQ(
        wrong(decode_run_request(R"({"scenario":"a","reason":")" + std::string(501, 'x') + "\"}")),
        "'reason' is longer than 500 bytes"
    );
    EXPECT_EQ(
        wrong(decode_login("{\"user\":\"\xff\",\"password\":\"x\"}")),
        "the body must be a JSON object"
    );
}

TEST(ApiRequests, APauseHasAReasonAndMayHaveAnEnd) {
    const auto decoded = decode_pause(R"({"reason":"works","until_s":600})");
    ASSERT_EQ(wrong(decoded), "");
    EXPECT_EQ(std::get<PauseRequest>(decoded).until_s, 600U);
    EXPECT_EQ(wrong(decode_pause(R"({"until_s":600})")), "'reason' is missing");
    for (const auto* bad : {"0", "-1", "1.5", "\"600\"", "2678401", "1e3", "true"})
        EXPECT_EQ(
            wrong(decode_pause(std::string(R"({"reason":"works","until_s":)") + bad + "}")),
            "'until_s' must be a whole number from 1 to 2678400"
        ) << bad;
}

TEST(ApiRequests, APasswordIsLongAndNew) {
    EXPECT_EQ(
        wrong(decode_password(R"({"old":"a","new":"elevenchars"})")),
        "'new' must have at least 12 characters"
    );
    EXPECT_EQ(
        wrong(decode_password(R"({"old":"twelve chars!","new":"twelve chars!"})")),
        "'new' must differ from 'old'"
    );
    EXPECT_EQ(wrong(decode_password(R"({"old":"a","new":"twelve chars!"})")), "");
}

TEST(ApiRequests, ModesAndAnswersAreWords) {
    EXPECT_EQ(wrong(decode_mode(R"({"mode":"semi"})")), "");
    EXPECT_EQ(wrong(decode_mode(R"({"mode":"AUTO"})")), "'mode' must be one of: auto, semi, off");
    EXPECT_EQ(wrong(decode_order("")), "");
    EXPECT_EQ(wrong(decode_order(R"({"answer":"maybe"})")), "'answer' must be one of: yes, no");
}

TEST(ApiRequests, IdempotencyKeysArePrintable) {
    EXPECT_TRUE(is_idempotency_key("7f3c-01"));
    EXPECT_FALSE(is_idempotency_key(""));
    EXPECT_FALSE(is_idempotency_key("a b"));
    EXPECT_FALSE(is_idempotency_key(std::string(129, 'k')));
    EXPECT_FALSE(is_idempotency_key("\xc3\xa9"));
}

}  // namespace
}  // namespace twinsite::switchover::api
