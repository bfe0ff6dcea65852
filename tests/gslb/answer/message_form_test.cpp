// SPDX-License-Identifier: Apache-2.0
// Sizes, EDNS and broken queries: RFC 2181 section 9, 6891, 7871, 9619; G-T3, G-T4, G-T9, G-T10.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gslb/answer/answer.hpp"
#include "tests/gslb/answer/server_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace flag = wire::dns::flag;
using tests::Bytes;
using tests::Question;
using tests::Reply;

/// A name with this many A records.
std::string many(std::string_view name, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += std::string(name) + ".t.example. 60 A 10.0." + std::to_string(i / 250) + "." +
               std::to_string(i % 250) + "\n";
    return out;
}

Question edns(std::string name, std::uint16_t payload) {
    Question out{std::move(name)};
    out.udp_payload = payload;
    return out;
}

TEST(MessageForm, TruncatedReplyHasEmptySections) {
    ServerFixture server(many("many", 40) + many("more", 100));  // G-T9
    const Reply plain = server.ask({"many.t.example"});
    EXPECT_EQ(plain.flags, flag::qr | flag::aa | flag::tc);
    EXPECT_EQ(plain.rcode, "NOERROR");
    EXPECT_TRUE(plain.answer.empty() && plain.authority.empty() && plain.additional.empty());
    EXPECT_FALSE(plain.has_opt);
    const Reply small = server.ask(edns("many.t.example", 512));
    EXPECT_TRUE(small.flags & flag::tc);
    EXPECT_TRUE(small.has_opt);
    const Reply large = server.ask(edns("many.t.example", 1232));
    EXPECT_FALSE(large.flags & flag::tc);
    EXPECT_EQ(large.answer.size(), 40u);
    EXPECT_TRUE(server.ask(edns("more.t.example", 65535)).flags & flag::tc) << "our own limit";
    EXPECT_EQ(server.counters.truncated.value(), 3u);
}

TEST(MessageForm, TcpReplyIsFullWhateverTheEdnsSize) {
    ServerFixture server(many("more", 100));
    server.transport = Transport::tcp;
    EXPECT_EQ(server.ask({"more.t.example"}).answer.size(), 100u);
    EXPECT_EQ(server.ask(edns("more.t.example", 512)).answer.size(), 100u);
    EXPECT_EQ(server.counters.tcp.value(), 2u);
    EXPECT_EQ(server.counters.udp.value(), 0u);
}

TEST(MessageForm, ReplyFitsToTheByte) {
    // Header 12, question 20, 16 per record, OPT 11.
    ServerFixture server(many("full", 30) + many("over", 31));
    EXPECT_EQ(server.ask({"full.t.example"}).size_bytes, 512u);
    EXPECT_TRUE(server.ask({"over.t.example"}).flags & flag::tc);
    EXPECT_EQ(server.ask(edns("full.t.example", 523)).size_bytes, 523u);
    EXPECT_TRUE(server.ask(edns("full.t.example", 522)).flags & flag::tc);
    EXPECT_EQ(server.ask(edns("c5.t.example", 100)).answer.size(), 2u) << "512 at least";
    server.max_udp_payload = 522;
    EXPECT_TRUE(server.ask(edns("full.t.example", 4096)).flags & flag::tc);
}

TEST(MessageForm, ReplyNeverExceedsTheBuffer) {
    ServerFixture server(many("many", 40));
    server.transport = Transport::tcp;
    server.reply_buffer_bytes = 600;
    const Reply reply = server.ask({"many.t.example"});
    EXPECT_EQ(reply.rcode, "SERVFAIL");
    EXPECT_EQ(reply.flags, flag::qr);
    server.reply_buffer_bytes = 511;
    EXPECT_TRUE(server.ask_raw(tests::make_query({"many.t.example"})).empty());
    EXPECT_EQ(server.counters.dropped.value(), 1u);
}

TEST(MessageForm, OptIsAnsweredWithOursAndItsDoBit) {
    ServerFixture server;
    Question question = edns("ns1.t.example", 4096);
    Reply reply = server.ask(question);
    EXPECT_TRUE(reply.has_opt);
    EXPECT_EQ(reply.udp_payload, 1232);
    EXPECT_EQ(reply.version, 0);
    EXPECT_FALSE(reply.dnssec_ok);
    question.dnssec_ok = true;
    question.options = {0xff, 0xe9, 0, 3, 1, 2, 3, 0, 3, 0, 0, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    reply = server.ask(question);
    EXPECT_TRUE(reply.dnssec_ok);
    EXPECT_TRUE(reply.options.empty()) << "options that we do not know are not repeated";
    EXPECT_EQ(server.counters.edns.value(), 2u);
}

TEST(MessageForm, OtherEdnsVersionIsBadVers) {
    ServerFixture server;  // G-T10
    Question question = edns("wWw.T.eXample", 1232);
    question.version = 1;
    question.options = {0xff, 0xe9, 0, 0};
    const Reply reply = server.ask(question);
    EXPECT_EQ(reply.rcode, "BADVERS");
    EXPECT_EQ(reply.version, 0);
    EXPECT_TRUE(reply.answer.empty());
    EXPECT_EQ(reply.question[2], 'W');
    EXPECT_TRUE(reply.options.empty());
    EXPECT_EQ(server.counters.bad_vers.value(), 1u);
}

TEST(MessageForm, OtherOpcodesAreNotImplemented) {
    ServerFixture server;  // G-T10: of the flags only the opcode comes back
    Bytes query = tests::make_query({"t.example"});
    query[2] = 15 << 3 | 0x7;
    query[3] = 0xf0;
    EXPECT_EQ(server.ask_raw(query), (Bytes{0x12, 0x34, 0xF8, 4, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(server.counters.not_imp.value(), 1u);
}

TEST(MessageForm, BrokenQueriesAreFormErr) {
    ServerFixture server;
    Bytes two = tests::make_query({"t.example"});
    two[5] = 2;
    const Bytes header = {0x12, 0x34, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(server.ask_raw(two), header);
    Bytes cut = tests::make_query({"t.example"});
    cut.pop_back();
    EXPECT_EQ(server.ask_raw(cut), header);
    Bytes no_opt = tests::make_query(edns("t.example", 1232));
    no_opt.pop_back();
    const Reply reply = tests::parse_reply(server.ask_raw(no_opt));
    EXPECT_EQ(reply.rcode, "FORMERR");
    EXPECT_FALSE(reply.question.empty());
    EXPECT_EQ(server.counters.form_err.value(), 3u);
}

TEST(MessageForm, RepliesAndScrapsGetNoAnswer) {
    ServerFixture server;
    Bytes reply = tests::make_query({"t.example"});
    reply[2] |= 0x80;
    EXPECT_TRUE(server.ask_raw(reply).empty());
    EXPECT_TRUE(server.ask_raw(Bytes(11)).empty());
    EXPECT_TRUE(server.ask_raw({}).empty());
    EXPECT_EQ(server.counters.dropped.value(), 3u);
    EXPECT_EQ(server.counters.udp.value(), 3u);
}

TEST(MessageForm, MalformedSubnetIsFormErrWithOptWithoutSubnet) {
    ServerFixture server;  // G-T4
    const Bytes malformed[] = {
        {0, 8, 0, 8, 0, 1, 24, 0, 10, 1, 9, 0},
        {0, 8, 0, 9, 0, 1, 33, 0, 10, 1, 9, 0, 0},
        {0, 8, 0, 7, 0, 1, 20, 0, 10, 1, 9},
        {0, 8, 0, 7, 0, 3, 24, 0, 10, 1, 9},
        {0, 8, 0, 7, 0, 1, 24, 8, 10, 1, 9},
        {0, 8, 0, 9, 0, 1, 24, 8, 10, 1, 9},
    };
    for (const Bytes& options : malformed) {
        Question question = edns("www.t.example", 1232);
        question.options = options;
        const Reply reply = server.ask(question);
        EXPECT_EQ(reply.rcode, "FORMERR");
        EXPECT_TRUE(reply.has_opt);
        EXPECT_TRUE(reply.options.empty());
        EXPECT_TRUE(reply.answer.empty());
    }
}

TEST(MessageForm, SubnetIsRepeatedWithScopeZeroWhereItDoesNotMatter) {
    ServerFixture server;  // G-T3
    for (const auto& [name, type, rcode] :
         {std::tuple{"t.example", "SOA", "NOERROR"},
          {"nothing.t.example", "A", "NXDOMAIN"},
          {"ns1.t.example", "A", "NOERROR"},
          {"x.other", "A", "REFUSED"},
          {"x.sub.t.example", "A", "NOERROR"},
          {"www.t.example", "TXT", "NOERROR"}}) {
        const Question question = with_subnet("10.1.9.0/24", name, type);
        const Reply reply = server.ask(question);
        EXPECT_EQ(reply.rcode, rcode);
        EXPECT_EQ(reply.options, question.options) << name;
    }
    EXPECT_FALSE(server.ask(edns("www.t.example", 1232)).scope) << "not asked, not said";
    EXPECT_EQ(server.counters.client_subnet.value(), 6u);
}

}  // namespace
}  // namespace twinsite::gslb::answer
