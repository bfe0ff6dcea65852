// SPDX-License-Identifier: Apache-2.0
#include "base/http/connection.hpp"

#include <memory>
#include <optional>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include "tests/base/http/running_server.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

Request get(const std::string& target) {
    Request out;
    out.target = target;
    return out;
}

class ConnectionTest : public testing::Test {
protected:
    explicit ConnectionTest(Limits limits = {}) : running_(limits), at_(running_.listen_tcp()) {
        running_.loop.on_loop([this] {
            running_.router.add_later(
                "GET",
                "/never",
                [this](const Request&, const PathParameters&, Reply reply) {
                    kept_.emplace(std::move(reply));
                    asked_.set_value();
                }
            );
        });
        connection_.emplace(io_.get_executor(), Target::at_tcp(at_));
    }
    ~ConnectionTest() override {
        connection_.reset();
        io_.restart();
        io_.poll();
        running_.loop.on_loop([this] { kept_.reset(); });
    }

    Result<Response> send(Request request, std::chrono::milliseconds limit = 5s) {
        return tests::run_to_end(io_, connection_->send(std::move(request), limit));
    }

    RunningServer running_;
    net::Endpoint at_;
    boost::asio::io_context io_;
    std::optional<Connection> connection_;
    std::optional<Reply> kept_;
    std::promise<void> asked_;
};

TEST_F(ConnectionTest, ManyRequestsUseOneConnection) {
    for (int i = 0; i < 20; ++i) {
        Request put = get("/echo");
        put.method = "PUT";
        put.body = std::string(static_cast<std::size_t>(i) * 1000, 'x');
        const auto got = send(put);
        ASSERT_TRUE(got) << got.error().message();
        EXPECT_EQ(got->body, put.body);
        EXPECT_TRUE(connection_->open());
    }
    EXPECT_EQ(running_.counters().accepted, 1u);
}

TEST_F(ConnectionTest, ClosingItMakesTheNextRequestOpenAnother) {
    ASSERT_TRUE(send(get("/hello")));
    connection_->close();
    EXPECT_FALSE(connection_->open());
    ASSERT_TRUE(send(get("/hello")));
    EXPECT_EQ(running_.counters().accepted, 2u);
}

TEST_F(ConnectionTest, ATimeOutEndsItAndTheNextRequestOpensAnother) {
    const auto late = send(get("/never"), 50ms);
    EXPECT_EQ(late.error(), boost::asio::error::timed_out);
    EXPECT_FALSE(connection_->open());
    EXPECT_TRUE(send(get("/hello")));
    EXPECT_EQ(running_.counters().accepted, 2u);
}

TEST_F(ConnectionTest, TakesOneRequestAtATime) {
    std::optional<Result<Response>> first;
    boost::asio::co_spawn(
        io_,
        connection_->send(get("/never"), 5s),
        [&](std::exception_ptr, Result<Response> got) { first = std::move(got); }
    );
    io_.poll();
    EXPECT_EQ(send(get("/hello")).error(), boost::asio::error::in_progress);
    connection_->close();
    io_.restart();
    while (!first) io_.run_one();
    EXPECT_FALSE(*first);
}

TEST_F(ConnectionTest, MayBeDestroyedWhileARequestRuns) {
    std::optional<Result<Response>> got;
    boost::asio::co_spawn(
        io_,
        connection_->send(get("/never"), 5s),
        [&](std::exception_ptr, Result<Response> result) { got = std::move(result); }
    );
    auto asked = asked_.get_future();
    while (asked.wait_for(0s) != std::future_status::ready) {
        io_.poll();
        io_.restart();
    }
    connection_.reset();
    while (!got) io_.run_one();
    EXPECT_FALSE(*got);
}

TEST_F(ConnectionTest, CanBeCancelled) {
    boost::asio::cancellation_signal signal;
    std::optional<Result<Response>> got;
    bool thrown = false;
    auto done = [&](std::exception_ptr failure, Result<Response> result) {
        thrown = failure != nullptr;
        got = std::move(result);
    };
    boost::asio::co_spawn(
        io_,
        connection_->send(get("/never"), 5s),
        boost::asio::bind_cancellation_slot(signal.slot(), std::move(done))
    );
    auto asked = asked_.get_future();
    while (asked.wait_for(0s) != std::future_status::ready) {
        io_.poll();
        io_.restart();
    }
    signal.emit(boost::asio::cancellation_type::terminal);
    while (!got) io_.run_one();
    EXPECT_TRUE(thrown || got->error() == boost::asio::error::operation_aborted);
    EXPECT_FALSE(connection_->open());
    EXPECT_TRUE(send(get("/hello")));
}

TEST_F(ConnectionTest, AHeadRequestLeavesTheConnectionUsable) {
    Request head = get("/hello");
    head.method = "HEAD";
    ASSERT_TRUE(send(head));
    const auto got = send(get("/hello"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello ");
    EXPECT_EQ(running_.counters().accepted, 1u);
}

class IdleConnection : public ConnectionTest {
protected:
    IdleConnection() : ConnectionTest(short_limits()) {}
    static Limits short_limits() {
        Limits out;
        out.idle = 50ms;
        return out;
    }
};

TEST_F(IdleConnection, ThatTheServerHasClosedIsOpenedOnceMore) {
    ASSERT_TRUE(send(get("/hello")));
    while (running_.connections() > 0) std::this_thread::yield();
    EXPECT_TRUE(connection_->open()) << "nothing has told it";
    const auto got = send(get("/hello"));
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(running_.counters().accepted, 2u);
}

TEST_F(IdleConnection, IsOpenedOnceMoreOnly) {
    ASSERT_TRUE(send(get("/hello")));
    running_.loop.on_loop([this] { running_.server.reset(); });
    EXPECT_FALSE(send(get("/hello")));
}

TEST(ConnectionAtNobody, FailsEachTime) {
    boost::asio::io_context io;
    // A port that was free a moment ago.
    net::Endpoint at;
    {
        RunningServer gone;
        at = gone.listen_tcp();
    }
    Connection connection(io.get_executor(), Target::at_tcp(at));
    for (int i = 0; i < 2; ++i)
        EXPECT_FALSE(tests::run_to_end(io, connection.send(get("/hello"), 5s)));
}

}  // namespace
}  // namespace twinsite::base::http
