// SPDX-License-Identifier: Apache-2.0
#include "base/http/message.hpp"

#include <gtest/gtest.h>

namespace twinsite::base::http {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(SplitTarget, DecodesPathAndQueryInTheOrderGiven) {
    Request request;
    request.target = "/api/v1/explain%20me?name=a.example.net&subnet=10.1.0.0%2F16&flag&x=a+b%2Bc&";
    ASSERT_TRUE(split_target(request));
    EXPECT_EQ(request.path, "/api/v1/explain me");
    const Pairs expected{
        {"name", "a.example.net"}, {"subnet", "10.1.0.0/16"}, {"flag", ""}, {"x", "a b+c"}
    };
    EXPECT_EQ(request.query, expected);
    EXPECT_EQ(find_query(request, "subnet"), "10.1.0.0/16");
    EXPECT_EQ(find_query(request, "absent"), std::nullopt);
}

TEST(SplitTarget, RefusesWhatIsNoCleanAbsolutePath) {
    for (const char* target :
         {"",
          "relative",
          "http://host/",
          "*",
          "/a b",
          "/a\x01",
          "/a%",
          "/a%4",
          "/a%zz",
          "/a%00",
          "/a#b",
          "/a?x=%g1",
          "/a?%=1"}) {
        Request request;
        request.target = target;
        EXPECT_FALSE(split_target(request)) << target;
    }
}

TEST(PercentEncoding, RoundTripsEveryByteButNul) {
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    const auto encoded = percent_encode(all);
    EXPECT_EQ(percent_decode(encoded), all);
    EXPECT_EQ(percent_decode(encoded, true), all);
    EXPECT_EQ(percent_encode("a-b_c.d~e/f g"), "a-b_c.d~e%2Ff%20g");
}

TEST(QuoteJson, EscapesControlsAndReplacesWhatIsNotUtf8) {
    EXPECT_EQ(quote_json("plain"), R"("plain")");
    EXPECT_EQ(quote_json("a\"b\\c\n\r\t\x01"), R"("a\"b\\c\n\r\t\u0001")");
    EXPECT_EQ(quote_json("\xE5\x8C\x97\xE4\xBA\xAC"), "\"\xE5\x8C\x97\xE4\xBA\xAC\"");
    const std::string bad = "\"\xEF\xBF\xBD\"";
    EXPECT_EQ(quote_json("\xFF"), bad);
    EXPECT_EQ(quote_json("\xC3"), bad);                     // cut short
    EXPECT_EQ(quote_json("\xC0\x80").size(), 2u + 6u);      // overlong: two bad bytes
    EXPECT_EQ(quote_json("\xED\xA0\x80").size(), 2u + 9u);  // a surrogate
    EXPECT_EQ(quote_json("\xF0\x9F\x98\x80"), "\"\xF0\x9F\x98\x80\"");
}

TEST(Problem, CarriesItsMembersAndTheExtraOnes) {
    const auto out = problem(422, "No \"reason\"", "Say why.", R"("findings":["a"])");
    EXPECT_EQ(out.status, 422u);
    EXPECT_EQ(out.content_type, "application/problem+json");
    EXPECT_EQ(
        out.body,
        R"({"type":"about:blank","title":"No \"reason\"","status":422,"detail":"Say why.",)"
        R"("findings":["a"]})"
    );
}

TEST(FindHeader, IgnoresCase) {
    const Headers headers{{"Content-Type", "a"}, {"X-One", "1"}, {"x-one", "2"}};
    ASSERT_NE(find_header(headers, "content-type"), nullptr);
    EXPECT_EQ(*find_header(headers, "X-ONE"), "1");
    EXPECT_EQ(find_header(headers, "absent"), nullptr);
}

TEST(Serialize, WritesRequestsWithHostAndLength) {
    Request request;
    request.method = "PUT";
    request.target = "/x";
    request.body = "{}";
    request.headers = {{"X-A", "1"}};
    EXPECT_EQ(
        serialize(request, "h:1", false),
        "PUT /x HTTP/1.1\r\nHost: h:1\r\nX-A: 1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    );
    EXPECT_EQ(serialize(Request{}, "h", true), "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(Serialize, KeepsValuesFromStartingAnotherLine) {
    Response response;
    response.headers = {{"X-A", "1\r\nX-B: 2"}};
    EXPECT_EQ(
        serialize(response, true, true),
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n"
        "X-A: 1  X-B: 2\r\n\r\n"
    );
}

TEST(Serialize, LeavesTheBodyOutWhereNoneMayBe) {
    Response response;
    response.body = "abc";
    EXPECT_TRUE(serialize(response, true, false).ends_with("Content-Length: 3\r\n\r\n"));
    response.status = 204;
    EXPECT_EQ(serialize(response, true, true), "HTTP/1.1 204 No Content\r\n\r\n");
}

}  // namespace
}  // namespace twinsite::base::http
