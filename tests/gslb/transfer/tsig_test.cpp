// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/tsig.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <ldns/ldns.h>

#include "base/crypto/base64.hpp"
#include "gslb/transfer/request.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {
namespace {

using base::crypto::MacAlgorithm;
using Bytes = std::vector<std::uint8_t>;

wire::dns::Name name(std::string_view text) {
    return wire::dns::parse_name(text).value();
}

TsigKey key_of(MacAlgorithm algorithm = MacAlgorithm::hmac_sha256) {
    return {name("Key.example"), algorithm, "a secret of thirty-two bytes ...."};
}

Bytes question() {
    return make_question(0x1234, name("t.example"), wire::dns::type::soa);
}

Bytes signed_by(TsigSession& session, Bytes message, std::uint64_t now) {
    std::size_t size = message.size();
    message.resize(size + session.room_bytes());
    EXPECT_TRUE(session.sign(message, size, now));
    message.resize(size);
    return message;
}

struct FreePacket {
    void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
};
using Packet = std::unique_ptr<ldns_pkt, FreePacket>;

struct Algorithm {
    MacAlgorithm ours;
    const char* theirs;
};

/// ldns shares nothing with our code.
class TsigByLdns : public testing::TestWithParam<Algorithm> {};

TEST_P(TsigByLdns, FindsOurSignatureRight) {
    const auto key = key_of(GetParam().ours);
    TsigSession session(key);
    const auto now = static_cast<std::uint64_t>(::time(nullptr));
    const Bytes message = signed_by(session, question(), now);
    ldns_pkt* raw = nullptr;
    ASSERT_EQ(ldns_wire2pkt(&raw, message.data(), message.size()), LDNS_STATUS_OK);
    const Packet packet(raw);
    const auto secret = base::crypto::to_base64(key.secret);
    EXPECT_TRUE(ldns_pkt_tsig_verify(
        packet.get(), message.data(), message.size(), "key.example.", secret.c_str(), nullptr
    ));
    const auto wrong = base::crypto::to_base64("another secret");
    EXPECT_FALSE(ldns_pkt_tsig_verify(
        packet.get(), message.data(), message.size(), "key.example.", wrong.c_str(), nullptr
    ));
}

TEST_P(TsigByLdns, MakesSignaturesThatWeFindRight) {
    const auto key = key_of(GetParam().ours);
    const Packet packet(ldns_pkt_query_new(
        ldns_dname_new_frm_str("t.example."), LDNS_RR_TYPE_SOA, LDNS_RR_CLASS_IN, 0
    ));
    const auto secret = base::crypto::to_base64(key.secret);
    ASSERT_EQ(
        ldns_pkt_tsig_sign(
            packet.get(), "key.example.", secret.c_str(), 300, GetParam().theirs, nullptr
        ),
        LDNS_STATUS_OK
    );
    std::uint8_t* wire = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(ldns_pkt2wire(&wire, packet.get(), &size), LDNS_STATUS_OK);
    const Bytes message(wire, wire + size);
    std::free(wire);
    TsigSession session(key);
    const auto now = static_cast<std::uint64_t>(::time(nullptr));
    EXPECT_EQ(session.verify(message, now), TsigError::none);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms,
    TsigByLdns,
    testing::Values(
        Algorithm{MacAlgorithm::hmac_sha1, "hmac-sha1."},
        Algorithm{MacAlgorithm::hmac_sha256, "hmac-sha256."},
        Algorithm{MacAlgorithm::hmac_sha512, "hmac-sha512."}
    ),
    [](const auto& info) { return "n" + std::to_string(static_cast<int>(info.param.ours)); }
);

TEST(Tsig, EveryChangedByteIsSeen) {
    TsigSession signer(key_of());
    const Bytes good = signed_by(signer, question(), 1000);
    // The identifier may change on the way; the signed one stands in the TSIG (RFC 8945
    // section 4.3).
    for (std::size_t at = 2; at < good.size(); ++at) {
        Bytes bad = good;
        bad[at] ^= 1;
        TsigSession checker(key_of());
        // The case of letters in key and algorithm name is no change; bit 0 changes letters.
        EXPECT_NE(checker.verify(bad, 1000), TsigError::none) << at;
    }
    TsigSession checker(key_of());
    EXPECT_EQ(checker.verify(good, 1000), TsigError::none);
}

TEST(Tsig, TheKeysNameMustFitNotOnlyItsSecret) {
    auto other = key_of();
    other.name = name("other.example");
    TsigSession signer(other);
    const Bytes message = signed_by(signer, question(), 1000);
    TsigSession checker(key_of());
    EXPECT_EQ(checker.verify(message, 1000), TsigError::bad_key);
}

TEST(Tsig, AnotherAlgorithmIsAnotherKey) {
    TsigSession signer(key_of(MacAlgorithm::hmac_sha512));
    const Bytes message = signed_by(signer, question(), 1000);
    TsigSession checker(key_of());
    EXPECT_EQ(checker.verify(message, 1000), TsigError::bad_key);
}

TEST(Tsig, ATimeOutsideTheFudgeIsTold) {
    TsigSession signer(key_of());
    const Bytes message = signed_by(signer, question(), 1000);
    EXPECT_EQ(TsigSession(key_of()).verify(message, 1300), TsigError::none);
    EXPECT_EQ(TsigSession(key_of()).verify(message, 700), TsigError::none);
    EXPECT_EQ(TsigSession(key_of()).verify(message, 1301), TsigError::bad_time);
    EXPECT_EQ(TsigSession(key_of()).verify(message, 699), TsigError::bad_time);
}

TEST(Tsig, AnUnsignedMessageIsNoSignedOne) {
    EXPECT_EQ(TsigSession(key_of()).verify(question(), 1000), TsigError::bad_signature);
}

TEST(Tsig, AnswersAreBoundToTheirQuestionAndToEachOther) {
    TsigSession client(key_of());
    TsigSession server(key_of());
    ASSERT_EQ(server.verify(signed_by(client, question(), 1000), 1000), TsigError::none);
    const Bytes first = signed_by(server, question(), 1000);
    const Bytes second = signed_by(server, question(), 1001);
    const Bytes third = signed_by(server, question(), 1002);
    TsigSession skipping = client;
    EXPECT_EQ(client.verify(first, 1000), TsigError::none);
    EXPECT_EQ(client.verify(second, 1001), TsigError::none);
    EXPECT_EQ(client.verify(third, 1002), TsigError::none);
    EXPECT_NE(skipping.verify(second, 1001), TsigError::none) << "the first one is missing";
}

TEST(Tsig, UnsignedMessagesInBetweenAreCoveredByTheNextOne) {
    TsigSession client(key_of());
    TsigSession server(key_of());
    ASSERT_EQ(server.verify(signed_by(client, question(), 1000), 1000), TsigError::none);
    ASSERT_EQ(client.verify(signed_by(server, question(), 1000), 1000), TsigError::none);
    EXPECT_EQ(client.verify(question(), 1000), TsigError::none);
    EXPECT_FALSE(client.is_complete());
    // A server that leaves some out signs over them too: ours never does, so its next MAC is wrong.
    TsigSession careless = server;
    EXPECT_NE(client.verify(signed_by(careless, question(), 1000), 1000), TsigError::none);
}

TEST(Tsig, MoreThanNinetyNineUnsignedMessagesAreTooMany) {
    TsigSession client(key_of());
    TsigSession server(key_of());
    ASSERT_EQ(server.verify(signed_by(client, question(), 1000), 1000), TsigError::none);
    ASSERT_EQ(client.verify(signed_by(server, question(), 1000), 1000), TsigError::none);
    for (int i = 0; i < 99; ++i) ASSERT_EQ(client.verify(question(), 1000), TsigError::none);
    EXPECT_EQ(client.verify(question(), 1000), TsigError::bad_signature);
}

TEST(Tsig, ThePlainMessageComesBack) {
    TsigSession signer(key_of());
    const Bytes message = signed_by(signer, question(), 1000);
    Tsig tsig;
    ASSERT_EQ(read_tsig(message, tsig), TsigForm::good);
    EXPECT_EQ(without_tsig(message, tsig), question());
    EXPECT_EQ(tsig.key, name("key.example"));
    Bytes not_last = message;
    not_last[11] = 2;  // one more additional record is promised
    EXPECT_NE(read_tsig(not_last, tsig), TsigForm::good);
    EXPECT_EQ(read_tsig(question(), tsig), TsigForm::absent);
}

}  // namespace
}  // namespace twinsite::gslb::transfer
