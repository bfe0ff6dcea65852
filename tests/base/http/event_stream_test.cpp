// SPDX-License-Identifier: Apache-2.0
#include "base/http/event_stream.hpp"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "tests/base/http/running_server.hpp"
#include "tests/support/raw_connection.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

/// A server with the stream GET /events, whose events the test sends.
class EventStreamTest : public testing::Test {
protected:
    explicit EventStreamTest(Limits limits = {}) : running_(limits) {
        running_.loop.on_loop([this] {
            running_.router.add_stream(
                "GET",
                "/events",
                [this](
                    const Request& request,
                    const PathParameters&,
                    std::shared_ptr<EventStream> events
                ) -> std::optional<Response> {
                    if (find_query(request, "refuse")) return problem(403, "No", "Not for you.");
                    events->send("hello", "1", "first");
                    events->on_gone([this] { ++gone_; });
                    events_ = std::move(events);
                    ++begun_;
                    return std::nullopt;
                }
            );
        });
        at_ = running_.listen_tcp();
    }
    ~EventStreamTest() override {
        running_.loop.on_loop([this] { events_.reset(); });
    }

    bool send(const std::string& event, const std::string& id, const std::string& data) {
        return running_.loop.on_loop([&] { return events_->send(event, id, data); });
    }
    static constexpr const char* kAsk = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

    RunningServer running_;
    net::Endpoint at_;
    std::shared_ptr<EventStream> events_;
    std::atomic<int> begun_ = 0;
    std::atomic<int> gone_ = 0;
};

TEST_F(EventStreamTest, BeginsWithItsHeaderAndCarriesEventsInOrder) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kAsk));
    const auto begin = client.read_until("first\n\n");
    EXPECT_NE(begin.find("HTTP/1.1 200 OK\r\n"), std::string::npos);
    EXPECT_NE(begin.find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_NE(begin.find("\r\n\r\nevent: hello\nid: 1\ndata: first\n\n"), std::string::npos);
    EXPECT_TRUE(send("", "", "two\nlines"));
    EXPECT_TRUE(send("run", "2\r\nevent: forged", "a\r\nb\rc"));
    EXPECT_EQ(
        client.read_until("data: c\n\n"),
        "data: two\ndata: lines\n\nevent: run\nid: 2\ndata: a\ndata: b\ndata: c\n\n"
    );
}

TEST_F(EventStreamTest, ClosingSendsWhatIsLeftAndTellsNobody) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kAsk));
    client.read_until("first\n\n");
    running_.loop.on_loop([this] {
        events_->send("", "", "last");
        events_->close();
        EXPECT_FALSE(events_->send("", "", "after the end"));
    });
    EXPECT_EQ(client.read_to_end(), "data: last\n\n");
    while (running_.connections() > 0) std::this_thread::yield();
    EXPECT_EQ(gone_, 0);
}

TEST_F(EventStreamTest, AClientThatLeavesIsTold) {
    {
        tests::RawConnection client(at_);
        ASSERT_TRUE(client.send(kAsk));
        client.read_until("first\n\n");
    }
    while (gone_ < 1) std::this_thread::yield();
    EXPECT_FALSE(send("", "", "nobody"));
    bool told = false;
    running_.loop.on_loop([&] { events_->on_gone([&] { told = true; }); });
    EXPECT_TRUE(told);
}

TEST_F(EventStreamTest, AClientThatDoesNotReadIsCutOff) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kAsk));
    while (begun_ < 1) std::this_thread::yield();
    const std::string much(64 * 1024, 'x');
    int sent = 0;
    // The kernel takes some megabytes, then ours fill up.
    while (sent < 1'000 && send("", "", much)) ++sent;
    EXPECT_LT(sent, 1'000);
    while (gone_ < 1) std::this_thread::yield();
    while (running_.connections() > 0) std::this_thread::yield();
    EXPECT_FALSE(running_.loop.on_loop([this] { return events_->open(); }));
}

TEST_F(EventStreamTest, ARefusalIsAnOrdinaryAnswer) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send("GET /events?refuse=1 HTTP/1.1\r\n\r\n"));
    EXPECT_NE(client.read_until("}").find("403 Forbidden"), std::string::npos);
    ASSERT_TRUE(client.send("HEAD /events HTTP/1.1\r\n\r\n"));
    EXPECT_NE(client.read_until("\r\n\r\n").find("405 Method"), std::string::npos);
    EXPECT_EQ(begun_, 0);
}

TEST_F(EventStreamTest, StoppingEndsIt) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kAsk));
    client.read_until("first\n\n");
    std::promise<void> stopped;
    running_.loop.on_loop([&] { running_.server->stop([&] { stopped.set_value(); }); });
    stopped.get_future().wait();
    EXPECT_TRUE(client.closed_by_peer());
    EXPECT_EQ(gone_, 1);
}

TEST_F(EventStreamTest, DestroyingTheServerTellsNobody) {
    tests::RawConnection client(at_);
    ASSERT_TRUE(client.send(kAsk));
    client.read_until("first\n\n");
    running_.loop.on_loop([this] { running_.server.reset(); });
    EXPECT_FALSE(send("", "", "nobody"));
    EXPECT_EQ(gone_, 0);
}

}  // namespace
}  // namespace twinsite::base::http
