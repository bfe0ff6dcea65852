// SPDX-License-Identifier: Apache-2.0
#include "wire/group/codec.hpp"

#include <gtest/gtest.h>

#include "wire/group/error.hpp"

namespace twinsite::wire::group {
namespace {

const std::string kHash(64, 'a');

template <class Message, class Decode>
void comes_back(const Message& message, Decode decode) {
    const auto read = decode(encode(message));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, message);
}

OverrideEntry drained() {
    OverrideEntry out{"ocs", "site:east", "drain", "works", "ann", 1'500, 60'000, {3, 77, "g1"}};
    return out;
}

TEST(GroupCodec, EveryMessageComesBackAsItWas) {
    comes_back(Hello{"g1", "east", "1.0", 1, 2}, decode_hello);
    comes_back(Heartbeat{7, 6, true}, decode_heartbeat);
    comes_back(Digest{{2, 9, kHash}, kHash, kHash, kHash, kHash, kHash}, decode_digest);
    comes_back(Pull{Kind::intent_part, "ocs/b", kHash, 99}, decode_pull);
    auto cleared = drained();
    cleared.state = "";
    cleared.left_ms.reset();
    comes_back(Overrides{{drained(), cleared}, true}, decode_overrides);
    comes_back(
        Observations{"g1", {{"ocs/b1", "tcp@192.0.2.1:1", 8, "down", 250, 900}}},
        decode_observations
    );
    comes_back(Loads{{{"ocs", "b1", 12.625, 5, 2'000}}}, decode_loads);
    comes_back(Secrets{std::string(32, 'c'), "", {1, 2, "g1"}}, decode_secrets);
    comes_back(Fences{{{"control", {1, 7}}}}, decode_fences);
    comes_back(Decisions{{{"a.example", "01", "02"}}, true}, decode_decisions);
}

TEST(GroupCodec, ABundlesHeaderAndItsBytesComeBackAsTheyWere) {
    IntentHeader header{1, 2, kHash, kHash, "g1", "ann", "why", 1, 5, "PEM", "c2ln"};
    comes_back(header, decode_intent_header);
    comes_back(IntentPart{kHash, 4, std::string("\0\n\xff{}", 5)}, decode_intent_part);
}

TEST(GroupCodec, TheSignedTextCoversEverythingButTheSignature) {
    const IntentHeader header{1, 2, kHash, kHash, "g1", "ann", "why", 1, 5, "PEM", "c2ln"};
    auto other = header;
    other.signature = "x";
    other.certificate = "y";
    EXPECT_EQ(signed_text(header), signed_text(other));
    other = header;
    other.reason = "another";
    EXPECT_NE(signed_text(header), signed_text(other));
    other = header;
    other.seq = 3;
    EXPECT_NE(signed_text(header), signed_text(other));
}

TEST(GroupCodec, WhatDoesNotHoldIsRefused) {
    EXPECT_FALSE(decode_hello("[]"));
    EXPECT_FALSE(decode_hello(R"({"schema":1,"node":"g1"})"));
    EXPECT_FALSE(decode_digest(R"({"schema":1,"overrides":"xyz"})"));
    auto entry = drained();
    entry.state = "sideways";
    EXPECT_FALSE(decode_overrides(encode(Overrides{{entry}, false})));
    entry = drained();
    entry.object = "";
    EXPECT_FALSE(decode_overrides(encode(Overrides{{entry}, false})));
    EXPECT_FALSE(decode_intent_header(
        encode(IntentHeader{0, 2, "", kHash, "g1", "ann", "why", 1, 5, "PEM", "c2ln"})
    ));
    EXPECT_FALSE(decode_intent_part("{\"schema\":1}"));
    std::vector<OverrideEntry> many(kMaxOverrides + 1, drained());
    EXPECT_FALSE(decode_overrides(encode(Overrides{many, false})));
}

TEST(GroupCodec, MembersOfANewerProgramAreIgnored) {
    const auto read = decode_heartbeat(R"({"schema":1,"seq":4,"mood":"fine"})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->seq, 4U);
}

}  // namespace
}  // namespace twinsite::wire::group
