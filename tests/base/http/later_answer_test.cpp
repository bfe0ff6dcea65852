// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "base/http/client.hpp"
#include "base/http/reply.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/raw_connection.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

/// A server with GET /wait, whose answers the test gives.
class LaterAnswer : public testing::Test {
protected:
    explicit LaterAnswer(Limits limits = {}) : running_(limits) {
        running_.loop.on_loop([this] {
            running_.router.add_later(
                "GET",
                "/wait",
                [this](const Request&, const PathParameters&, Reply reply) {
                    reply.on_gone([this] { ++gone_; });
                    waiting_.push_back(std::move(reply));
                    ++asked_;
                }
            );
        });
        at_ = running_.listen_tcp();
    }
    ~LaterAnswer() override {
        running_.loop.on_loop([this] { waiting_.clear(); });
    }

    void wait_until_asked(int count) const {
        while (asked_ < count) std::this_thread::yield();
    }
    void wait_until_gone(int count) const {
        while (gone_ < count) std::this_thread::yield();
    }
    void answer(std::size_t which, const std::string& body) {
        running_.loop.on_loop([&] {
            Response out;
            out.body = body;
            waiting_.at(which).reply(std::move(out));
        });
    }
    static constexpr const char* kWait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";

    RunningServer running_;
    net::Endpoint at_;
    std::vector<Reply> waiting_;
    std::atomic<int> asked_ = 0;
    std::atomic<int> gone_ = 0;
};

TEST_F(LaterAnswer, ComesWhenItIsGivenAndTheConnectionGoesOn) {
    tests::RawConnection client(at_);
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(client.send(kWait));
        wait_until_asked(round + 1);
        const auto text = "round " + std::to_string(round);
        answer(static_cast<std::size_t>(round), text);
        EXPECT_NE(client.read_until(text).find(text), std::string::npos);
    }
    EXPECT_EQ(gone_, 0);
    EXPECT_EQ(running_.counters().accepted, 1u);
}

TEST_F(LaterAnswer, OnlyTheFirstCounts) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    wait_until_asked(1);
    running_.loop.on_loop([&] {
        Response first;
        first.body = "first";
        Response second;
        second.body = "second";
        waiting_[0].reply(std::move(first));
        EXPECT_FALSE(waiting_[0].waiting());
        waiting_[0].reply(std::move(second));
    });
    EXPECT_NE(client.read_until("first").find("first"), std::string::npos);
    ASSERT_TRUE(client.send("GET /hello HTTP/1.1\r\n\r\n"));
    EXPECT_EQ(client.read_until("hello ").find("second"), std::string::npos);
}

TEST_F(LaterAnswer, AClientThatClosesIsToldToTheHandlerOnce) {
    {
        tests::RawConnection client(at_);
        ASSERT_TRUE(client.send(kWait));
        wait_until_asked(1);
    }
    wait_until_gone(1);
    answer(0, "too late");  // does nothing
    tests::RawConnection next(at_);
    ASSERT_TRUE(next.send("GET /hello HTTP/1.1\r\n\r\n"));
    EXPECT_NE(next.read_until("hello ").find("200 OK"), std::string::npos);
    EXPECT_EQ(gone_, 1);
    EXPECT_FALSE(running_.loop.on_loop([this] { return waiting_[0].waiting(); }));
}

TEST_F(LaterAnswer, ARequestSentMeanwhileIsAnsweredAfterIt) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    wait_until_asked(1);
    ASSERT_TRUE(client.send("GET /hello HTTP/1.1\r\n\r\n"));
    tests::RawConnection other(at_);  // its answer proves that the server has gone on meanwhile
    ASSERT_TRUE(other.send("GET /hello HTTP/1.1\r\n\r\n"));
    other.read_until("hello ");
    answer(0, "patience");
    const auto text = client.read_until("hello ");
    EXPECT_LT(text.find("patience"), text.find("hello "));
}

TEST_F(LaterAnswer, StoppingAnswersWhoWaits) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    wait_until_asked(1);
    std::promise<void> stopped;
    running_.loop.on_loop([&] { running_.server->stop([&] { stopped.set_value(); }); });
    EXPECT_NE(client.read_to_end().find("503 Service Unavailable"), std::string::npos);
    stopped.get_future().wait();
    EXPECT_EQ(gone_, 1);
}

TEST_F(LaterAnswer, DestroyingTheServerTellsNobody) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    wait_until_asked(1);
    running_.loop.on_loop([&] { running_.server.reset(); });
    EXPECT_TRUE(client.closed_by_peer());
    answer(0, "nobody hears it");
    EXPECT_EQ(gone_, 0);
}

TEST_F(LaterAnswer, WhatIsForgottenIsAnError) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    wait_until_asked(1);
    running_.loop.on_loop([this] { waiting_.clear(); });
    EXPECT_NE(client.read_until("\r\n\r\n").find("500 Internal"), std::string::npos);
}

class LateAnswer : public LaterAnswer {
protected:
    LateAnswer() : LaterAnswer(short_limits()) {}
    static Limits short_limits() {
        Limits out;
        out.later = 50ms;
        return out;
    }
};

TEST_F(LateAnswer, IsGivenUpAndTheConnectionGoesOn) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kWait));
    EXPECT_NE(client.read_until("}").find("503 Service Unavailable"), std::string::npos);
    wait_until_gone(1);
    ASSERT_TRUE(client.send("GET /hello HTTP/1.1\r\n\r\n"));
    EXPECT_NE(client.read_until("hello ").find("200 OK"), std::string::npos);
}

TEST(ReplyTest, GoneIsToldAtOnceToWhoAsksLate) {
    Router router;
    std::optional<Reply> kept;
    router.add_later("GET", "/", [&](const Request&, const PathParameters&, Reply reply) {
        kept = std::move(reply);
    });
    EXPECT_EQ(router.handle({}).status, 503u);  // nothing yet
    bool gone = false;
    kept->on_gone([&] { gone = true; });
    EXPECT_FALSE(gone);
    EXPECT_TRUE(kept->waiting());
}

TEST(ReplyTest, AnAnswerGivenAtOnceIsTheAnswer) {
    Router router;
    router.add_later("GET", "/", [](const Request&, const PathParameters&, Reply reply) {
        Response out;
        out.body = "at once";
        reply.reply(std::move(out));
    });
    EXPECT_EQ(router.handle({}).body, "at once");
}

}  // namespace
}  // namespace twinsite::base::http
