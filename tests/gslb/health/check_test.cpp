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
    out.kind = Kind::http;
    out.target = base::net::parse_endpoint("127.0.1.20:8440").value();
    out.path = "/readyz";
    out.expect_status = {200};
    return out;
}

TEST(Question, HasOneLineThatDiffersWhereverTheQuestionDoes) {
    EXPECT_EQ(to_string(question()), "http 127.0.1.20:8440 GET \"/readyz\" host \"\" status 200");
    std::vector<Question> all(8, question());
    all[1].kind = Kind::tcp;
    all[2].target.port = 1;
    all[3].source = base::text::IpAddress::from_v4(0x7F000001);
    all[4].path = "/readyz\" host \"x";
    all[5].host = "x";
    all[6].expect_status = {200, 204};
    all[7].expect_body = "ok";
    std::set<std::string> lines;
    for (const auto& one : all) lines.insert(to_string(one));
    EXPECT_EQ(lines.size(), all.size());
}

TEST(MakeProbe, AsksWhatTheQuestionSays) {
    boost::asio::io_context io;
    const probe::SilentListener open;
    Question tcp;
    tcp.target = open.at();
    EXPECT_TRUE(tests::run_to_end(io, make_probe(tcp)->run(5s)).ok);
    tcp.target = probe::closed_port();
    EXPECT_FALSE(tests::run_to_end(io, make_probe(tcp)->run(5s)).ok);

    probe::ScriptedListener web("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nalive");
    auto http = question();
    http.target = web.at();
    http.host = "a.example.net";
    http.expect_status = {201};
    http.expect_body = "live";
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
