// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/query.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/dns/name.hpp"

namespace twinsite::wire::dns {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// "ab. TYPE28 CLASS1" with the given counts; more records can be appended.
Bytes query(std::uint8_t questions = 1, std::uint8_t answers = 0, std::uint8_t additionals = 0) {
    return {0x12, 0x34,        1, 0,   0,   questions, 0, answers, 0, 0,
            0,    additionals, 2, 'a', 'B', 0,         0, 28,      0, 1};
}
Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
const Bytes kOpt = {0, 0, 41, 0x10, 0, 0, 0, 0x80, 0, 0, 0};
const Bytes kRecord = {0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4};

QueryForm form_of(const Bytes& packet) {
    Query out;
    return decode_query(packet, out);
}

TEST(Query, PlainQuestionIsReadInPlace) {
    const Bytes packet = query();
    Query out;
    ASSERT_EQ(decode_query(packet, out), QueryForm::good);
    EXPECT_EQ(out.flags, 0x0100);
    EXPECT_EQ(out.name(), packet.data() + 12);
    EXPECT_EQ(out.name_bytes, 4);
    EXPECT_EQ(out.question_bytes(), 8u);
    EXPECT_EQ(out.type, 28);
    EXPECT_EQ(out.klass, 1);
    EXPECT_FALSE(out.edns.present);
}

TEST(Query, OptIsReadWhereverItStandsInTheAdditionalSection) {
    const Bytes packets[] = {
        query(1, 0, 1) + kOpt,
        query(1, 0, 2) + kRecord + kOpt,
        query(1, 0, 2) + kOpt + kRecord,
        query(1, 1, 1) + kRecord + kOpt
    };
    for (const Bytes& packet : packets) {
        Query out;
        ASSERT_EQ(decode_query(packet, out), QueryForm::good);
        EXPECT_TRUE(out.edns.present);
        EXPECT_TRUE(out.edns.dnssec_ok);
        EXPECT_EQ(out.edns.udp_payload, 4096);
        EXPECT_EQ(out.edns.version, 0);
    }
    EXPECT_EQ(form_of(query() + Bytes{1, 2, 3}), QueryForm::good) << "bytes behind are ignored";
}

TEST(Query, SubnetOfTheOptIsTaken) {
    Bytes opt = kOpt;
    opt.back() = 11;
    const Bytes packet = query(1, 0, 1) + opt + Bytes{0, 8, 0, 7, 0, 1, 24, 0, 10, 1, 9};
    Query out;
    ASSERT_EQ(decode_query(packet, out), QueryForm::good);
    EXPECT_EQ(out.edns.subnet.source_length(), 24);
}

TEST(Query, NotAQueryIsDropped) {
    EXPECT_EQ(form_of({}), QueryForm::drop);
    EXPECT_EQ(form_of(Bytes(11)), QueryForm::drop);
    Bytes reply = query();
    reply[2] |= 0x80;
    EXPECT_EQ(form_of(reply), QueryForm::drop);
    reply[2] |= 0x78;
    EXPECT_EQ(form_of(reply), QueryForm::drop);
}

TEST(Query, OtherOpcodesAreSeenBeforeTheQuestion) {
    for (unsigned opcode = 1; opcode < 16; ++opcode) {
        Bytes packet = query(2);
        packet[2] = static_cast<std::uint8_t>(opcode << 3);
        Query out;
        EXPECT_EQ(decode_query(packet, out), QueryForm::bad_opcode);
        EXPECT_EQ(out.opcode(), opcode);
    }
}

TEST(Query, NeedsExactlyOneWellFormedQuestion) {
    EXPECT_EQ(form_of(query(0)), QueryForm::bad_header);
    EXPECT_EQ(form_of(query(2)), QueryForm::bad_header);
    for (std::size_t size = 12; size < 20; ++size) {
        Bytes packet = query();
        packet.resize(size);
        EXPECT_EQ(form_of(packet), QueryForm::bad_header) << size;
    }
    Bytes pointer = query();
    pointer[12] = 0xC0;
    EXPECT_EQ(form_of(pointer), QueryForm::bad_header);
    Bytes endless(12 + 300, 1);
    std::fill(endless.begin(), endless.begin() + 12, std::uint8_t{0});
    endless[5] = 1;
    EXPECT_EQ(form_of(endless), QueryForm::bad_header) << "name beyond 255 bytes";
}

TEST(Query, LongestNameIsGood) {
    Bytes packet = query();
    packet.resize(12);
    for (int i = 0; i < 127; ++i) packet = packet + Bytes{1, 'x'};
    packet = packet + Bytes{0, 0, 1, 0, 1};
    Query out;
    ASSERT_EQ(decode_query(packet, out), QueryForm::good);
    EXPECT_EQ(out.name_bytes, 255);
}

TEST(Query, BrokenAdditionalKeepsTheQuestion) {
    Bytes owned = kOpt;
    owned[0] = 1;
    owned.insert(owned.begin() + 1, {'x', 0});
    Bytes long_data = kOpt;
    long_data.back() = 1;
    const Bytes packets[] = {
        query(1, 0, 1),                          // the record is missing
        query(1, 0, 1) + Bytes{0, 0, 41, 4},     // it ends early
        query(1, 0, 2) + kOpt + kOpt,            // two of them
        query(1, 1, 0) + kOpt,                   // in the answer section
        query(1, 0, 1) + owned,                  // not owned by the root
        query(1, 0, 1) + long_data,              // options beyond the packet
        query(1, 0, 1) + Bytes{0xC0, 12, 0, 1},  // another record that ends early
    };
    for (const Bytes& packet : packets) {
        Query out;
        EXPECT_EQ(decode_query(packet, out), QueryForm::bad_additional);
        EXPECT_EQ(out.name_bytes, 4);
    }
}

TEST(Query, OtherEdnsVersionIsSeenBeforeItsOptions) {
    Bytes opt = kOpt;
    opt[6] = 1;
    opt.back() = 3;
    Query out;
    const Bytes packet = query(1, 0, 1) + opt + Bytes{1, 2, 3};
    EXPECT_EQ(decode_query(packet, out), QueryForm::bad_version);
    EXPECT_EQ(out.edns.version, 1);
}

}  // namespace
}  // namespace twinsite::wire::dns
