// SPDX-License-Identifier: Apache-2.0
#include "base/http/parser.hpp"

#include <gtest/gtest.h>

#include "base/http/error.hpp"

namespace twinsite::base::http {
namespace {

constexpr const char* kPut = "PUT /x?y=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";

TEST(RequestReader, ReadsARequestByteByByte) {
    RequestReader reader(1024, 1024);
    EXPECT_FALSE(reader.begun());
    const std::string bytes = kPut;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_FALSE(reader.done()) << i;
        ASSERT_TRUE(reader.feed(bytes.substr(i, 1))) << i;
        EXPECT_TRUE(reader.begun());
    }
    ASSERT_TRUE(reader.done());
    EXPECT_TRUE(reader.keep_alive());
    const auto request = reader.take();
    EXPECT_EQ(request.method, "PUT");
    EXPECT_EQ(request.target, "/x?y=1");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(*find_header(request.headers, "host"), "h");
    EXPECT_FALSE(reader.begun());
}

TEST(RequestReader, KeepsPipelinedRequestsApart) {
    RequestReader reader(1024, 1024);
    ASSERT_TRUE(reader.feed(std::string(kPut) + kPut + "GET /z HTTP/1.1\r\n"));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().body, "hello");
    ASSERT_TRUE(reader.resume());
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().body, "hello");
    ASSERT_TRUE(reader.resume());
    EXPECT_TRUE(reader.begun());
    EXPECT_FALSE(reader.done());
    ASSERT_TRUE(reader.feed("\r\n"));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().target, "/z");
}

TEST(RequestReader, AFaultOfTheNextRequestDoesNotSpoilTheFirst) {
    RequestReader reader(1024, 1024);
    ASSERT_TRUE(reader.feed(std::string(kPut) + "\x01\x02 nonsense\r\n\r\n"));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().body, "hello");
    EXPECT_EQ(reader.resume().error(), Errc::malformed);
}

TEST(RequestReader, JoinsChunks) {
    RequestReader reader(1024, 1024);
    ASSERT_TRUE(reader.feed(
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;e=1\r\nde\r\n0\r\n\r\n"
    ));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().body, "abcde");
}

TEST(RequestReader, RefusesWhatIsLargerThanItsBounds) {
    RequestReader header(64, 8);
    EXPECT_EQ(
        header.feed("GET / HTTP/1.1\r\nX: " + std::string(100, 'x')).error(), Errc::header_too_large
    );
    RequestReader endless(64, 8);
    EXPECT_EQ(endless.feed(std::string(65, 'G')).error(), Errc::header_too_large);
    RequestReader announced(64, 8);
    EXPECT_EQ(
        announced.feed("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\n").error(), Errc::body_too_large
    );
    RequestReader chunked(64, 8);
    EXPECT_EQ(
        chunked.feed("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123456789").error(),
        Errc::body_too_large
    );
}

TEST(RequestReader, RefusesAChunkHeaderOrTrailerThatNeverEnds) {
    const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const auto* open : {"1;a=", "0\r\nX: "}) {
        RequestReader reader(128, 1024);
        ASSERT_TRUE(reader.feed(head + open)) << open;
        EXPECT_EQ(reader.feed(std::string(300, 'A')).error(), Errc::header_too_large) << open;
    }
    ResponseReader answer(128, 1024, false);
    ASSERT_TRUE(answer.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a="));
    EXPECT_EQ(answer.feed(std::string(300, 'A')).error(), Errc::header_too_large);
}

TEST(RequestReader, RefusesWhatIsNotHttp) {
    for (const char* bytes :
         {"nonsense\r\n\r\n",
          "GET / HTTP/2.0\r\n\r\n",
          "GET  / HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1\r\nA B: c\r\n\r\n",
          "PUT / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
          "PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
          "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
        RequestReader reader(1024, 1024);
        const auto result = reader.feed(bytes);
        ASSERT_FALSE(result) << bytes;
        EXPECT_EQ(result.error(), Errc::malformed) << bytes;
    }
}

TEST(RequestReader, TellsOnceThatTheClientWaitsForContinue) {
    RequestReader reader(1024, 1024);
    ASSERT_TRUE(reader.feed("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"));
    EXPECT_TRUE(reader.take_expectation());
    EXPECT_FALSE(reader.take_expectation());
    ASSERT_TRUE(reader.feed("x"));
    EXPECT_TRUE(reader.done());
}

TEST(RequestReader, KnowsWhenTheConnectionEnds) {
    RequestReader closing(1024, 1024);
    ASSERT_TRUE(closing.feed("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
    EXPECT_FALSE(closing.keep_alive());
    RequestReader old(1024, 1024);
    ASSERT_TRUE(old.feed("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_FALSE(old.keep_alive());
}

TEST(ResponseReader, ReadsStatusTypeAndBody) {
    ResponseReader reader(1024, 1024, false);
    ASSERT_TRUE(
        reader.feed("HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nno.")
    );
    ASSERT_TRUE(reader.done());
    const auto response = reader.take();
    EXPECT_EQ(response.status, 503u);
    EXPECT_EQ(response.content_type, "text/plain");
    EXPECT_EQ(response.body, "no.");
}

TEST(ResponseReader, ABodyWithoutLengthEndsWithTheConnection) {
    ResponseReader reader(1024, 1024, false);
    ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\n\r\nabc"));
    EXPECT_FALSE(reader.done());
    ASSERT_TRUE(reader.feed_end());
    EXPECT_EQ(reader.take().body, "abc");
}

TEST(ResponseReader, ACutBodyIsAnError) {
    ResponseReader reader(1024, 1024, false);
    ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
    EXPECT_EQ(reader.feed_end().error(), Errc::closed_early);
    ResponseReader nothing(1024, 1024, false);
    EXPECT_EQ(nothing.feed_end().error(), Errc::closed_early);
}

TEST(ResponseReader, AnAnnouncedLengthReservesNothing) {
    ResponseReader reader(1024, ~std::uint64_t{0}, false);
    ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\nabc"));
    EXPECT_TRUE(reader.header_done());
    EXPECT_EQ(reader.body_size(), 3u);
}

TEST(ResponseReader, TheAnswerToHeadHasALengthButNoBody) {
    ResponseReader reader(1024, 1024, true);
    ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"));
    EXPECT_TRUE(reader.done());
}

}  // namespace
}  // namespace twinsite::base::http
