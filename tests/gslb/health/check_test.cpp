// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "probe/probe.hpp"
#include "tests/probe/listener.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

Question question() {
    Question out;
    out.ask = probe::HttpAsk{"/readyz"};
    out.target = base::net::parse_endpoint("127.0.1.20:8440").value();
    return out;
}

probe::HttpAsk& http_of(Question& question) {
    return std::get<probe::HttpAsk>(question.ask);
}

TEST(Question, HasOneLineThatDiffersWhereverTheQuestionDoes) {
    EXPECT_EQ(to_string(question()), "http 127.0.1.20:8440 GET \"/readyz\" host \"\" status 200");
    std::vector<Question> all(20, question());
    all[1].ask = probe::TcpAsk{};
    all[2].target.port = 1;
    all[3].source = base::text::IpAddress::from_v4(0x7F000001);
    http_of(all[4]).path = "/readyz\" host \"x";
    http_of(all[5]).host = "x";
    http_of(all[6]).expect_status = {200, 204};
    http_of(all[7]).expect_body = "ok";
    http_of(all[8]).tls = probe::TlsAsk{};
    http_of(all[9]).tls = probe::TlsAsk{.minimum_days = 3};
    all[10].ask = probe::TlsAsk{};
    all[11].ask = probe::TlsAsk{.verify = false};
    all[12].ask = probe::DnsAsk{.name = "a.example."};
    all[13].ask = probe::DnsAsk{.name = "a.example.", .expect_answer = {"192.0.2.1"}};
    all[14].ask = probe::DiameterAsk{.origin_host = "a", .origin_realm = "b"};
    all[15].ask = probe::RadiusAsk{.secret_file = "secret"};
    all[16].ask = probe::IcmpAsk{};
    all[17].ask = probe::ExternalAsk{{"/bin/true", "a b"}};
    all[18].ask = probe::ExternalAsk{{"/bin/true", "a", "b"}};
    all[19].ask = probe::PushAsk{"db"};
    std::set<std::string> lines;
    for (const auto& one : all) lines.insert(to_string(one));
    EXPECT_EQ(lines.size(), all.size());
    EXPECT_EQ(to_string(all[16]), "icmp 127.0.1.20") << "it has no port";
}

TEST(MakeProbe, AsksWhatTheQuestionSays) {
    boost::asio::io_context io;
    const probe::SilentListener open;
    Question tcp{probe::TcpAsk{}, {}, {}};
    tcp.target = open.at();
    EXPECT_TRUE(tests::run_to_end(io, make_probe(tcp)->run(5s)).ok);
    tcp.target = probe::closed_port();
    EXPECT_FALSE(tests::run_to_end(io, make_probe(tcp)->run(5s)).ok);

    probe::ScriptedListener web("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nalive");
    auto http = question();
    http.target = web.at();
    http_of(http).host = "a.example.net";
    http_of(http).expect_status = {201};
    http_of(http).expect_body = "live";
    const auto asked = make_probe(http);
    const auto outcome = tests::run_to_end(io, asked->run(5s));
    EXPECT_TRUE(outcome.ok) << outcome.error;
    web.join();
    EXPECT_NE(
        web.request().find("GET /readyz HTTP/1.1\r\nHost: a.example.net\r\n"), std::string::npos
    );
}

}  // namespace
}  // namespace twinsite::gslb::health
