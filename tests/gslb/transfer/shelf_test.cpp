// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/shelf.hpp"

#include <ctime>

#include <gtest/gtest.h>

#include "gslb/transfer/transfer_reader.hpp"
#include "tests/gslb/transfer/zones.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {
namespace {

namespace dns = wire::dns;
using Bytes = std::vector<std::uint8_t>;
using Transport = server::TransferSeam::Transport;

const dns::Name kOrigin = dns::parse_name("t.example").value();
constexpr unsigned kRefused = 5;
constexpr unsigned kNotAuth = 9;

KeyPointer make_key(std::string_view name, std::string secret) {
    return std::make_shared<const TsigKey>(
        TsigKey{dns::parse_name(name).value(), {}, std::move(secret)}
    );
}

class ShelfTest : public testing::Test {
protected:
    ShelfTest() {
        settings_.origin = kOrigin;
        settings_.served = shared_zone(7);
        settings_.transferable = true;
        settings_.allow.push_back({base::text::parse_prefix("192.0.2.0/24"), nullptr});
        settings_.allow.push_back({base::text::parse_prefix("198.51.100.0/24"), key_});
        set();
    }

    void set() {
        auto offer = std::make_shared<Offer>();
        offer->settings = settings_;
        offer->journal = journal_;
        shelf_.set({key_, other_}, {offer});
    }

    /// The reply's messages.
    std::vector<Bytes> ask(
        const Bytes& message, std::string_view from, Transport transport = Transport::tcp
    ) {
        const base::net::Endpoint peer{base::text::parse_ip(from).value(), 4000};
        const auto reply =
            shelf_.handle({message, peer, transport, 1232}, [&](auto query, auto room) {
                answered_.assign(query.begin(), query.end());
                std::copy(query.begin(), query.end(), room.begin());
                room[2] |= 0x80;
                return query.size();
            });
        std::vector<Bytes> out;
        Bytes room(65'535);
        while (reply != nullptr) {
            const std::size_t size = reply->next(room);
            if (size == 0) break;
            out.emplace_back(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
        }
        return out;
    }

    static Bytes with_tsig(TsigSession& session, Bytes message, int seconds_off = 0) {
        std::size_t size = message.size();
        message.resize(size + session.room_bytes());
        const auto now = static_cast<std::uint64_t>(std::time(nullptr) + seconds_off);
        EXPECT_TRUE(session.sign(message, size, now));
        message.resize(size);
        return message;
    }

    static Bytes axfr() { return make_question(9, kOrigin, dns::type::axfr); }
    static Bytes ixfr(std::uint32_t serial) {
        const auto zone = zone_with(serial);
        return make_ixfr(9, *find_soa(zone));
    }
    static unsigned rcode(const Bytes& message) { return message[3] & 0xfU; }

    KeyPointer key_ = make_key("key", "0123456789abcdef");
    KeyPointer other_ = make_key("other", "0123456789abcdef");
    ZoneSettings settings_;
    Journal journal_;
    std::vector<std::pair<dns::Name, std::optional<std::uint32_t>>> notified_;
    Shelf shelf_{[this](const dns::Name& zone, std::optional<std::uint32_t> serial) {
        notified_.emplace_back(zone, serial);
    }};
    Bytes answered_;
};

TEST_F(ShelfTest, GivesTheZoneToWhoMayHaveIt) {
    const auto messages = ask(axfr(), "192.0.2.9");
    ASSERT_EQ(messages.size(), 1U);
    TransferReader reader({kOrigin, 9, std::nullopt});
    EXPECT_EQ(reader.take(messages[0]).value(), TransferReader::Progress::done);
    EXPECT_EQ(shelf_.counts().whole, 1U);
    EXPECT_EQ(shelf_.sent(kOrigin).at("192.0.2.9").serial, 7U);
}

TEST_F(ShelfTest, RefusesEveryoneElse) {
    EXPECT_EQ(rcode(ask(axfr(), "203.0.113.1").at(0)), kRefused);
    EXPECT_EQ(rcode(ask(axfr(), "198.51.100.1").at(0)), kRefused) << "without its key";
    EXPECT_EQ(
        rcode(ask(make_question(9, dns::parse_name("u.example").value(), dns::type::axfr),
                  "192.0.2.9")
                  .at(0)),
        kNotAuth
    );
    EXPECT_EQ(shelf_.counts().refused, 3U);
}

TEST_F(ShelfTest, TheKeyMustBeTheOneOfTheRule) {
    TsigSession right(*key_);
    const auto request = with_tsig(right, axfr());
    const auto messages = ask(request, "198.51.100.1");
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(rcode(messages[0]), 0U);
    EXPECT_EQ(
        right.verify(messages[0], static_cast<std::uint64_t>(std::time(nullptr))), TsigError::none
    );
    TsigSession known_but_other(*other_);  // the same secret under another name
    EXPECT_EQ(rcode(ask(with_tsig(known_but_other, axfr()), "198.51.100.1").at(0)), kRefused);
    TsigSession signed_where_none_is_wanted(*key_);
    EXPECT_EQ(
        rcode(ask(with_tsig(signed_where_none_is_wanted, axfr()), "192.0.2.9").at(0)), kRefused
    );
}

TEST_F(ShelfTest, AWrongSignatureIsToldWithItsError) {
    TsigSession unknown(TsigKey{dns::parse_name("nobody").value(), {}, "0123456789abcdef"});
    TsigSession wrong(TsigKey{key_->name, {}, "fedcba9876543210"});
    TsigSession late(*key_);
    const auto error_of = [&](const Bytes& message) {
        const auto reply = ask(message, "198.51.100.1").at(0);
        EXPECT_EQ(rcode(reply), kNotAuth);
        Tsig tsig;
        EXPECT_EQ(read_tsig(reply, tsig), TsigForm::good);
        return tsig;
    };
    EXPECT_EQ(error_of(with_tsig(unknown, axfr())).error, 17);
    EXPECT_EQ(error_of(with_tsig(wrong, axfr())).error, 16);
    const auto out_of_time = error_of(with_tsig(late, axfr(), -1000));
    EXPECT_EQ(out_of_time.error, 18);
    EXPECT_FALSE(out_of_time.mac.empty()) << "signed, so that the client can believe our time";
    EXPECT_EQ(out_of_time.other.size(), 6U);
}

TEST_F(ShelfTest, GivesTheDifferencesToWhoHasAVersionOfTheJournal) {
    settings_.served = shared_zone(9, "a.t.example. 60 A 192.0.2.7\n");
    journal_.push_back(
        std::make_shared<const Difference>(*find_difference(zone_with(7), *settings_.served))
    );
    set();
    const auto kind_of = [&](std::uint32_t have, Transport transport = Transport::tcp) {
        TransferReader reader({kOrigin, 9, have});
        for (const auto& message : ask(ixfr(have), "192.0.2.9", transport))
            EXPECT_TRUE(reader.take(message));
        return reader.kind();
    };
    EXPECT_EQ(kind_of(7), TransferReader::Kind::differences);
    EXPECT_EQ(kind_of(6), TransferReader::Kind::whole) << "too far behind";
    EXPECT_EQ(kind_of(9), TransferReader::Kind::up_to_date);
    EXPECT_EQ(kind_of(10), TransferReader::Kind::up_to_date) << "ahead of us";
    EXPECT_EQ(ask(ixfr(7), "192.0.2.9", Transport::udp).size(), 1U);
    EXPECT_EQ(shelf_.counts().incremental, 1U);
}

TEST_F(ShelfTest, AZoneThatIsNotAvailableIsAServerFailure) {
    settings_.served = nullptr;
    set();
    EXPECT_EQ(rcode(ask(axfr(), "192.0.2.9").at(0)), 2U);
}

TEST_F(ShelfTest, TakesANotifyOfAPrimaryOnly) {
    settings_.primaries.push_back({{base::text::parse_ip("192.0.2.53").value(), 53}, nullptr});
    settings_.primaries.push_back({{base::text::parse_ip("192.0.2.54").value(), 53}, key_});
    set();
    const auto zone = zone_with(8);
    const auto notify = make_notify(9, *find_soa(zone));
    const auto reply = ask(notify, "192.0.2.53", Transport::udp).at(0);
    EXPECT_EQ(rcode(reply), 0U);
    EXPECT_EQ(dns::load16(reply.data() + 2) & 0xfc00, 0xa400) << "NOTIFY, QR, AA";
    ASSERT_EQ(notified_.size(), 1U);
    EXPECT_EQ(notified_[0].second, 8U);
    EXPECT_EQ(rcode(ask(notify, "192.0.2.99", Transport::udp).at(0)), kRefused);
    EXPECT_EQ(rcode(ask(notify, "192.0.2.54", Transport::udp).at(0)), kRefused) << "unsigned";
    TsigSession session(*key_);
    EXPECT_EQ(rcode(ask(with_tsig(session, notify), "192.0.2.54", Transport::udp).at(0)), 0U);
    EXPECT_EQ(notified_.size(), 2U);
    settings_.primaries.clear();
    set();
    EXPECT_EQ(rcode(ask(notify, "192.0.2.53", Transport::udp).at(0)), kNotAuth);
}

TEST_F(ShelfTest, ASignedQuestionGetsTheOrdinaryAnswerSigned) {
    const auto question = make_question(9, kOrigin, dns::type::soa);
    TsigSession session(*key_);
    const auto reply = ask(with_tsig(session, question), "203.0.113.1", Transport::udp).at(0);
    EXPECT_EQ(answered_, question) << "the server sees it without its signature";
    EXPECT_EQ(
        session.verify(reply, static_cast<std::uint64_t>(std::time(nullptr))), TsigError::none
    );
}

TEST_F(ShelfTest, WhatIsNoMessageGetsNoneOrFormErr) {
    EXPECT_TRUE(ask(Bytes(12, 0xff), "192.0.2.9").size() <= 1);
    auto two_questions = axfr();
    two_questions[5] = 2;
    EXPECT_TRUE(ask(two_questions, "192.0.2.9").size() <= 1);
}

}  // namespace
}  // namespace twinsite::gslb::transfer
