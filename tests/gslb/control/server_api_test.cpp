// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/server_api.hpp"

#include <optional>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;

class ServerApi : public testing::Test {
protected:
    ServerApi() {
        seams_.cookies = [this] { return secrets_; };
        seams_.set_cookies = [this](const auto& next) -> base::Result<void> {
            if (refuses_) return std::make_error_code(std::errc::no_space_on_device);
            secrets_ = next;
            return {};
        };
        seams_.fresh_secret = [] {
            wire::dns::CookieSecret out{};
            out[0] = 0xaa;
            return out;
        };
        seams_.last_queries = [this](std::size_t count) {
            asked_ = count;
            return records_;
        };
    }
    static json::object body(const Response& response) {
        return json::parse(response.body).as_object();
    }
    static Request with_body(std::string text) {
        Request out;
        out.body = std::move(text);
        return out;
    }
    HelmUnderTest test_;
    ServerSeams seams_;
    wire::dns::CookieSecrets secrets_;
    std::vector<server::QueryRecord> records_;
    std::size_t asked_ = 0;
    bool refuses_ = false;
};

TEST_F(ServerApi, ASecretIsStagedPromotedAndRetired) {
    const auto first = body(show_cookies(seams_));
    EXPECT_TRUE(first.at("other").is_null());
    const auto staged = body(
        stage_cookie_secret(seams_, with_body(R"({"secret":"000102030405060708090a0b0c0d0e0f"})"))
    );
    EXPECT_EQ(staged.at("current"), first.at("current"));
    EXPECT_FALSE(staged.contains("secret")) << "whoever gives it knows it";
    EXPECT_EQ(secrets_.other->at(15), 15);
    const auto promoted = body(promote_cookie_secret(seams_));
    EXPECT_EQ(promoted.at("current"), staged.at("other"));
    EXPECT_EQ(promoted.at("other"), first.at("current"));
    const auto retired = body(retire_cookie_secret(seams_));
    EXPECT_EQ(retired.at("current"), staged.at("other"));
    EXPECT_TRUE(retired.at("other").is_null());
    EXPECT_EQ(promote_cookie_secret(seams_).status, 409u);
}

TEST_F(ServerApi, AFreshSecretIsToldOnce) {
    const auto staged = body(stage_cookie_secret(seams_, with_body("{}")));
    EXPECT_EQ(staged.at("secret").as_string(), "aa" + std::string(30, '0'));
    EXPECT_FALSE(body(show_cookies(seams_)).contains("secret"));
}

TEST_F(ServerApi, WrongSecretsAreRefused) {
    for (const auto* text : {"[]", "{", R"({"secret":"abc"})", R"({"secret":1})", R"({"other":1})"})
        EXPECT_EQ(stage_cookie_secret(seams_, with_body(text)).status, 422u) << text;
    const auto same = R"({"secret":"00000000000000000000000000000000"})";
    EXPECT_EQ(stage_cookie_secret(seams_, with_body(same)).status, 409u);
    EXPECT_FALSE(secrets_.other);
}

TEST_F(ServerApi, WhatCannotBeKeptIsNotUsed) {
    refuses_ = true;
    EXPECT_EQ(stage_cookie_secret(seams_, with_body("")).status, 500u);
    EXPECT_FALSE(secrets_.other);
}

TEST_F(ServerApi, QueriesAreListedWithWhatBecameOfThem) {
    auto& record = records_.emplace_back();
    record.time_s = 1'700'000'000;
    record.client = {*base::text::parse_ip("192.0.2.7"), 4000};
    record.type = 28;
    record.klass = 1;
    record.name = {3, 'o', 'c', 's', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'n', 'e', 't', 0};
    record.outcome.steered = 0;
    record.outcome.client_class = 3;
    records_.emplace_back();
    Request request;
    request.query = {{"last", "2"}};
    const auto list = body(list_queries(test_.helm, seams_, request)).at("queries").as_array();
    EXPECT_EQ(asked_, 2u);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].at("client"), "192.0.2.7:4000");
    EXPECT_EQ(list[0].at("name"), "ocs.example.net.");
    EXPECT_EQ(list[0].at("type"), "AAAA");
    EXPECT_EQ(list[0].at("class"), "IN");
    EXPECT_EQ(list[0].at("rcode"), "NOERROR");
    EXPECT_EQ(list[0].at("steered"), "ocs.example.net.");
    EXPECT_EQ(list[0].at("client_class"), 3);
    EXPECT_EQ(list[1].at("name"), "");
    for (const auto* wrong : {"0", "x", "10001"}) {
        request.query = {{"last", wrong}};
        EXPECT_EQ(list_queries(test_.helm, seams_, request).status, 422u) << wrong;
    }
}

}  // namespace
}  // namespace twinsite::gslb::control
