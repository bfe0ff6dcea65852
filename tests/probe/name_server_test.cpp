// SPDX-License-Identifier: Apache-2.0
#include "probe/name_server.hpp"

#include <gtest/gtest.h>

#include "probe/name_server_reply.hpp"
#include "tests/probe/datagram_server.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;
using Bytes = DatagramServer::Bytes;

const DnsAsk kAsk{.name = "ocs.example.net."};

/// The query with QR, `rcode` and these records behind the question, without its OPT.
Bytes reply_to(
    std::span<const std::uint8_t> query, std::uint8_t rcode, const std::vector<Bytes>& records
) {
    constexpr std::size_t kOpt = 11;
    Bytes out(query.begin(), query.end() - kOpt);
    out[2] |= 0x84;
    out[3] = rcode;
    out[7] = static_cast<std::uint8_t>(records.size());
    out[11] = 0;
    for (const auto& record : records) out.insert(out.end(), record.begin(), record.end());
    return out;
}
Bytes a_record(std::uint8_t last) {
    return {0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 192, 0, 2, last};
}

Outcome run(
    const base::net::Endpoint& at, const DnsAsk& ask, std::chrono::milliseconds limit = 5s
) {
    NameServerProbe probe({at}, ask);
    boost::asio::io_context io;
    return tests::run_to_end(io, probe.run(limit));
}

TEST(NameServerProbe, AcceptsTheReplyExpected) {
    DatagramServer server([](auto query) {
        return std::vector<Bytes>{reply_to(query, 0, {a_record(1), a_record(2)})};
    });
    const auto outcome = run(server.at(), kAsk);
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_EQ(outcome.note, "NOERROR 192.0.2.1 192.0.2.2");
    auto wanted = kAsk;
    wanted.expect_answer = {"192.0.2.9", "192.0.2.2"};
    EXPECT_TRUE(run(server.at(), wanted).ok) << "one of them is enough";
    wanted.expect_answer = {"192.0.2.9"};
    EXPECT_EQ(run(server.at(), wanted).error, "the answer does not have the record expected");
}

TEST(NameServerProbe, AnotherResponseCodeIsBadUnlessExpected) {
    DatagramServer server([](auto query) { return std::vector<Bytes>{reply_to(query, 3, {})}; });
    EXPECT_EQ(run(server.at(), kAsk).error, "response code NXDOMAIN");
    auto negative = kAsk;
    negative.expect_rcode = {0, 3};
    EXPECT_TRUE(run(server.at(), negative).ok);
}

TEST(NameServerProbe, WaitsPastWhatIsNoReplyToItsQuery) {
    DatagramServer server([](auto query) {
        auto wrong_id = reply_to(query, 0, {});
        wrong_id[0] ^= 1;
        auto wrong_question = reply_to(query, 2, {});
        wrong_question[13] ^= 1;
        return std::vector<Bytes>{
            Bytes{1, 2, 3},
            Bytes(query.begin(), query.end()),
            wrong_id,
            wrong_question,
            reply_to(query, 0, {})
        };
    });
    EXPECT_TRUE(run(server.at(), kAsk).ok);
}

TEST(NameServerProbe, SilenceAndClosedPortsAreBad) {
    DatagramServer silent([](auto) { return std::vector<Bytes>(); });
    EXPECT_EQ(run(silent.at(), kAsk, 50ms).error, "timed out");
    const base::net::Endpoint nobody =
        DatagramServer([](auto) { return std::vector<Bytes>(); }).at();
    EXPECT_EQ(run(nobody, kAsk).error, "connection refused");
}

TEST(DnsReply, ComparesAddressesAndNamesByWhatTheyMean) {
    DnsAsk ask{.name = "www.example.net.", .type = 5, .expect_answer = {"OCS.example.NET"}};
    const auto query = make_dns_query(ask, 7).value();
    // "ocs" and a pointer to "example.net." in the question
    const Bytes cname{0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 30, 0, 6, 3, 'o', 'c', 's', 0xC0, 16};
    const auto verdict = judge_dns_reply(reply_to(query, 0, {cname}), query, ask);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->fault, "");
}

TEST(DnsReply, ARecordCutShortIsMalformed) {
    const auto query = make_dns_query(kAsk, 7).value();
    auto reply = reply_to(query, 0, {a_record(1)});
    reply.pop_back();
    const auto verdict = judge_dns_reply(reply, query, kAsk);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->fault, "malformed reply");
}

}  // namespace
}  // namespace twinsite::probe
