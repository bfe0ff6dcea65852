// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/keys_api.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/crypto/ecdsa.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::PathParameters;
using base::http::Request;
using base::http::Response;

constexpr zone::UnixTime kNow = 1'800'000'000;

/// One signed zone, and what was commanded about it.
class KeysApi : public testing::Test {
protected:
    KeysApi() {
        const auto key = base::crypto::EcdsaKey::generate();
        view_.book = zone::make_key_book(
            *wire::dns::parse_name("example.net"), {key->public_key()}, kNow - 10
        );
        view_.now = kNow;
        view_.here = {view_.book.keys[0].tag()};
        seams_.list = [this] { return std::vector{view_}; };
        seams_.command = [this](const wire::dns::Name&, const KeyCommand& command) {
            commands_.push_back(command);
            return refusal_;
        };
    }

    static PathParameters of(const std::string& zone) {
        PathParameters out;
        out.add("zone", zone);
        return out;
    }
    Response command(KeyCommand::Kind kind, std::string body, const char* zone = "Example.net") {
        Request request;
        request.body = std::move(body);
        return command_keys(seams_, kind, request, of(zone));
    }

    KeyView view_;
    KeySeams seams_;
    std::vector<KeyCommand> commands_;
    std::string refusal_;
};

TEST_F(KeysApi, ShowsKeysAndWhatAChangeWaitsFor) {
    const auto fresh = base::crypto::EcdsaKey::generate();
    view_.book = std::get<zone::KeyBook>(
        zone::begin_roll(view_.book, zone::KeyRole::csk, fresh->public_key(), kNow - 5, true)
    );
    const auto shown = show_keys(seams_, of("example.net."));
    EXPECT_EQ(shown.status, 200U);
    const auto value = json::parse(shown.body).as_object();
    EXPECT_EQ(value.at("zone").as_string(), "example.net.");
    const auto& keys = value.at("keys").as_array();
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_TRUE(keys[0].as_object().at("here").as_bool());
    EXPECT_FALSE(keys[1].as_object().at("here").as_bool());
    EXPECT_EQ(keys[1].as_object().at("state").as_string(), "published");
    const auto& roll = value.at("roll").as_object();
    EXPECT_EQ(roll.at("step").as_string(), "publish");
    EXPECT_EQ(roll.at("next_at").as_int64(), kNow - 5 + 3'900);
    EXPECT_NE(roll.at("waits").as_string().find("another"), std::string::npos);
    EXPECT_EQ(json::parse(list_keys(seams_).body).as_object().at("zones").as_array().size(), 1U);
}

TEST_F(KeysApi, PassesCommandsOn) {
    EXPECT_EQ(command(KeyCommand::Kind::roll, R"({"role":"ksk","automatic":true})").status, 200U);
    EXPECT_EQ(command(KeyCommand::Kind::step, R"({"ds_seen":true})").status, 200U);
    EXPECT_EQ(command(KeyCommand::Kind::cancel, "").status, 200U);
    ASSERT_EQ(commands_.size(), 3U);
    EXPECT_EQ(commands_[0].role, zone::KeyRole::ksk);
    EXPECT_TRUE(commands_[0].automatic);
    EXPECT_TRUE(commands_[1].ds_seen);
    EXPECT_EQ(commands_[2].kind, KeyCommand::Kind::cancel);
}

TEST_F(KeysApi, TellsWhyACommandWasNotDone) {
    refusal_ = "waits until every cache knows key 1: another 1s";
    const auto refused = command(KeyCommand::Kind::step, "{}");
    EXPECT_EQ(refused.status, 409U);
    EXPECT_NE(refused.body.find(refusal_), std::string::npos);
    EXPECT_EQ(command(KeyCommand::Kind::step, "{}", "other.net").status, 404U);
    EXPECT_EQ(show_keys(seams_, of("..")).status, 404U);
}

TEST_F(KeysApi, RefusesWrongBodies) {
    for (const char* body :
         {"",
          "[]",
          "{",
          R"({"role":"xsk"})",
          R"({"role":1})",
          R"({"role":"zsk","ds_seen":true})",
          R"({"role":"zsk","x":1})"})
        EXPECT_EQ(command(KeyCommand::Kind::roll, body).status, 422U) << body;
    EXPECT_EQ(command(KeyCommand::Kind::step, R"({"ds_seen":1})").status, 422U);
    EXPECT_TRUE(commands_.empty());
}

}  // namespace
}  // namespace twinsite::gslb::control
