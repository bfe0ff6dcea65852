// SPDX-License-Identifier: Apache-2.0
// What zones answer: RFC 1034, 2308, 4592, 6604, 8020, 8482. Steering has its own file.
#include "gslb/answer/answer.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gslb/answer/server_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace flag = wire::dns::flag;
using tests::Bytes;
using tests::Question;
using tests::Reply;
using Lines = std::vector<std::string>;

const std::string kSoa =
    "t.example. 60 in soa ns1.t.example. hostmaster.t.example. 7 7200 900 1209600 60";

void expect_no_data(const Reply& reply) {
    EXPECT_EQ(reply.rcode, "NOERROR");
    EXPECT_EQ(reply.flags, flag::qr | flag::aa);
    EXPECT_EQ(reply.answer, Lines{});
    EXPECT_EQ(reply.authority, Lines{kSoa});
    EXPECT_EQ(reply.additional, Lines{});
}

void expect_name_error(const Reply& reply) {
    EXPECT_EQ(reply.rcode, "NXDOMAIN");
    EXPECT_EQ(reply.flags, flag::qr | flag::aa);
    EXPECT_EQ(reply.answer, Lines{});
    EXPECT_EQ(reply.authority, Lines{kSoa});
}

void expect_answer(const Reply& reply, const Lines& lines) {
    EXPECT_EQ(reply.rcode, "NOERROR");
    EXPECT_EQ(reply.flags, flag::qr | flag::aa);
    EXPECT_EQ(reply.answer, lines);
    EXPECT_EQ(reply.authority, Lines{});
    EXPECT_EQ(reply.additional, Lines{});
}

TEST(Answer, IsTheseBytes) {
    ServerFixture server;
    const Bytes query = {0xAB, 0xCD, 1, 0,   0,   1,   0,   0,   0,   0,   0, 0, 3, 'N', 's', '1',
                         1,    't',  7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 0, 0, 1, 0,   1};
    const Bytes expected = {0xAB, 0xCD, 0x85, 0,    0,    1,   0, 1,    0,   0,   0,   0,
                            3,    'N',  's',  '1',  1,    't', 7, 'e',  'x', 'a', 'm', 'p',
                            'l',  'e',  0,    0,    1,    0,   1, 0xC0, 12,  0,   1,   0,
                            1,    0,    0,    0x0e, 0x10, 0,   4, 192,  0,   2,   1};
    EXPECT_EQ(server.ask_raw(query), expected);
}

TEST(Answer, RepeatsTheQuestionByteForByte) {
    ServerFixture server;
    const Reply reply = server.ask({"mAiL.T.eXample"});
    EXPECT_EQ(reply.question, (Bytes{4,   'm', 'A', 'i', 'L', 1, 'T', 7, 'e', 'X',
                                     'a', 'm', 'p', 'l', 'e', 0, 0,   1, 0,   1}));
    expect_answer(reply, {"mail.t.example. 300 in a 192.0.2.25"});
}

TEST(Answer, GivesEachTypeWhole) {
    ServerFixture server;
    expect_answer(
        server.ask({"mail.t.example", "AAAA"}), {"mail.t.example. 300 in aaaa 2001:db8::25"}
    );
    expect_answer(
        server.ask({"text.t.example", "TXT"}), {"text.t.example. 300 in txt \"one\" \"two\""}
    );
    expect_answer(
        server.ask({"_sip._udp.t.example", "SRV"}),
        {"_sip._udp.t.example. 300 in srv 1 2 5060 mail.t.example."}
    );
    expect_answer(
        server.ask({"t.example", "NS"}),
        {"t.example. 3600 in ns ns1.t.example.", "t.example. 3600 in ns ns2.other.example."}
    );
    expect_answer(server.ask({"t.example", "MX"}), {"t.example. 3600 in mx 10 mail.t.example."});
    expect_answer(
        server.ask({"t.example", "SOA"}),
        {"t.example. 3600 in soa ns1.t.example. hostmaster.t.example. 7 7200 900 1209600 60"}
    );
    expect_answer(
        server.ask({"c4.t.example", "CNAME"}), {"c4.t.example. 300 in cname c5.t.example."}
    );
}

TEST(Answer, MissingTypeIsNoData) {
    ServerFixture server;
    expect_no_data(server.ask({"ns1.t.example", "AAAA"}));
    expect_no_data(server.ask({"ns1.t.example", "TYPE65280"}));
    expect_no_data(server.ask({"t.example", "DS"}));
    expect_no_data(server.ask({"t.example", "CNAME"}));
    EXPECT_EQ(server.counters.no_data.value(), 4u);
}

TEST(Answer, EmptyNonTerminalIsNoDataAndNotNameError) {
    ServerFixture server;  // G-T6
    expect_no_data(server.ask({"b.t.example"}));
    expect_no_data(server.ask({"_udp.t.example", "SRV"}));
    expect_no_data(server.ask({"w.t.example"}));
    expect_name_error(server.ask({"c.b.t.example"}));
}

TEST(Answer, MissingNameIsNameErrorWithTheNegativeTtl) {
    ServerFixture server;  // G-T8
    expect_name_error(server.ask({"nothing.t.example"}));
    expect_name_error(server.ask({"deep.below.nothing.t.example", "TXT"}));
    expect_name_error(server.ask({"x.ns1.t.example"}));
    EXPECT_EQ(server.counters.nx_domain.value(), 3u);
}

TEST(Answer, WildcardGivesItsRecordsTheNameAsked) {
    ServerFixture server;
    expect_answer(server.ask({"q.w.t.example"}), {"q.w.t.example. 300 in a 192.0.2.3"});
    expect_answer(server.ask({"*.w.t.example"}), {"*.w.t.example. 300 in a 192.0.2.3"});
    // The pointer to the apex in MX data moves with the length of the question.
    expect_answer(
        server.ask({"a.longer.one.w.t.example", "MX"}),
        {"a.longer.one.w.t.example. 300 in mx 5 mail.t.example."}
    );
    expect_no_data(server.ask({"q.w.t.example", "TXT"}));
    expect_no_data(server.ask({"there.w.t.example"}));
    expect_name_error(server.ask({"below.there.w.t.example"}));
    expect_name_error(server.ask({"x.*.w.t.example"}));
    expect_answer(
        server.ask({"sub.*.w.t.example", "TXT"}),
        {"sub.*.w.t.example. 300 in txt \"below the asterisk\""}
    );
}

TEST(Answer, ChainInTheZoneIsFollowedToItsEnd) {
    ServerFixture server;
    expect_answer(
        server.ask({"c4.t.example"}),
        {"c4.t.example. 300 in cname c5.t.example.",
         "c5.t.example. 300 in cname mail.t.example.",
         "mail.t.example. 300 in a 192.0.2.25"}
    );
    expect_answer(
        server.ask({"c7.t.example", "MX"}),
        {"c7.t.example. 300 in cname q.w.t.example.", "q.w.t.example. 300 in mx 5 mail.t.example."}
    );
    expect_answer(
        server.ask({"long.name.cw.t.example", "AAAA"}),
        {"long.name.cw.t.example. 300 in cname mail.t.example.",
         "mail.t.example. 300 in aaaa 2001:db8::25"}
    );
}

TEST(Answer, CodeOfAChainIsThatOfItsEnd) {
    ServerFixture server;  // G-T7
    const Reply gone = server.ask({"c1.t.example"});
    EXPECT_EQ(gone.rcode, "NXDOMAIN");
    EXPECT_EQ(gone.flags, flag::qr | flag::aa);
    EXPECT_EQ(
        gone.answer,
        (Lines{
            "c1.t.example. 300 in cname c2.t.example.", "c2.t.example. 300 in cname gone.t.example."
        })
    );
    EXPECT_EQ(gone.authority, Lines{kSoa});
    expect_answer(server.ask({"c3.t.example"}), {"c3.t.example. 300 in cname x.other."});
    expect_answer(server.ask({"c9.t.example"}), {"c9.t.example. 300 in cname host.sub.t.example."});
    const Reply no_data = server.ask({"c8.t.example", "AAAA"});
    EXPECT_EQ(no_data.rcode, "NOERROR");
    EXPECT_EQ(no_data.answer, Lines{"c8.t.example. 300 in cname ns1.t.example."});
    EXPECT_EQ(no_data.authority, Lines{kSoa});
}

TEST(Answer, LoopOfCnamesEndsWhereItCloses) {
    ServerFixture server;
    expect_answer(
        server.ask({"loop1.t.example"}),
        {"loop1.t.example. 300 in cname loop2.t.example.",
         "loop2.t.example. 300 in cname loop1.t.example."}
    );
}

TEST(Answer, DelegatedNamesAreReferred) {
    ServerFixture server;
    for (const auto* name : {"sub.t.example", "host.sub.t.example", "ns.sub.t.example"}) {
        for (const auto* type : {"A", "NS", "ANY"}) {
            const Reply reply = server.ask({name, type});
            EXPECT_EQ(reply.rcode, "NOERROR");
            EXPECT_EQ(reply.flags, flag::qr);
            EXPECT_EQ(reply.answer, Lines{});
            EXPECT_EQ(
                reply.authority,
                (Lines{
                    "sub.t.example. 300 in ns ns.sub.t.example.",
                    "sub.t.example. 300 in ns ns1.t.example."
                })
            );
            EXPECT_EQ(
                reply.additional,
                (Lines{
                    "ns.sub.t.example. 300 in a 192.0.2.4",
                    "ns.sub.t.example. 300 in aaaa 2001:db8::4",
                    "ns1.t.example. 3600 in a 192.0.2.1"
                })
            );
        }
    }
    EXPECT_EQ(server.counters.referral.value(), 9u);
}

TEST(Answer, DsOfACutIsAnsweredByTheParent) {
    ServerFixture server;
    const Reply reply = server.ask({"sub.t.example", "DS"});
    EXPECT_EQ(reply.flags, flag::qr | flag::aa);
    ASSERT_EQ(reply.answer.size(), 1u);
    EXPECT_EQ(server.ask({"x.sub.t.example", "DS"}).flags, flag::qr) << "below: a referral";
}

TEST(Answer, AnyIsOneRRset) {
    ServerFixture server;
    expect_answer(server.ask({"mail.t.example", "ANY"}), {"mail.t.example. 300 in a 192.0.2.25"});
    expect_answer(
        server.ask({"c4.t.example", "ANY"}), {"c4.t.example. 300 in cname c5.t.example."}
    );
    expect_no_data(server.ask({"b.t.example", "ANY"}));
    expect_answer(
        server.ask({"www.t.example", "ANY"}), {"www.t.example. 300 in txt \"beside the addresses\""}
    );
}

TEST(Answer, OtherZonesAndClassesAreRefused) {
    ServerFixture server;
    for (const Question& question :
         {Question{"example"},
          Question{"."},
          Question{"www.other"},
          Question{"t.example", "A", 3},
          Question{"t.example", "A", 255},
          Question{"t.example", "AXFR"},
          Question{"t.example", "IXFR"}}) {
        const Reply reply = server.ask(question);
        EXPECT_EQ(reply.rcode, "REFUSED") << question.name << question.type;
        EXPECT_EQ(reply.flags, flag::qr);
        EXPECT_EQ(reply.authority, Lines{});
    }
    EXPECT_EQ(server.ask({"t.example", "TYPE253"}).rcode, "NOTIMP");
    EXPECT_EQ(server.ask({"t.example", "OPT"}).rcode, "FORMERR");
    EXPECT_EQ(server.counters.refused.value(), 7u);
}

TEST(Answer, RepeatsOnlyTheFlagRd) {
    ServerFixture server;
    Question question{"ns1.t.example"};
    question.flags = flag::rd | flag::aa | flag::tc | flag::ra | flag::ad | flag::cd | 0x40 | 0xf;
    EXPECT_EQ(server.ask(question).flags, flag::qr | flag::aa | flag::rd);
    EXPECT_EQ(server.ask(question).rcode, "NOERROR");
}

}  // namespace
}  // namespace twinsite::gslb::answer
