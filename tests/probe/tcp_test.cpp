// SPDX-License-Identifier: Apache-2.0
#include "probe/tcp.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/async/task_group.hpp"
#include "tests/probe/listener.hpp"
#include "tests/probe/no_descriptors.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

TEST(TcpProbe, AnOpenPortIsGoodAndTakesTime) {
    SilentListener listener;
    TcpProbe probe({listener.at(), std::nullopt});
    asio::io_context io;
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_EQ(outcome.error, "");
    EXPECT_GT(outcome.latency, 0us);
    EXPECT_LT(outcome.latency, 5s);
}

TEST(TcpProbe, AClosedPortIsBadAtOnce) {
    TcpProbe probe({closed_port(), std::nullopt});
    asio::io_context io;
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "connection refused");
    EXPECT_FALSE(outcome.local_fault);
}

TEST(TcpProbe, WantOfDescriptorsSaysNothingAboutTheTarget) {
    SilentListener listener;
    TcpProbe probe({listener.at(), std::nullopt});
    asio::io_context io;
    // The first service of a loop opens the loop's descriptors, and UBSan's first check of a
    // virtual call needs one of its own: so once with descriptors.
    tests::run_to_end(io, probe.run(50ms));
    const NoDescriptorsLeft none;
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(outcome.local_fault) << outcome.error;
}

TEST(TcpProbe, ConnectsFromTheSourceAddressAskedFor) {
    SilentListener listener;
    TcpProbe probe({listener.at(), base::text::IpAddress::from_v4(0x7F00090B)});
    asio::io_context io;
    EXPECT_TRUE(tests::run_to_end(io, probe.run(5s)).ok);
    EXPECT_EQ(listener.accept().remote_endpoint().address().to_string(), "127.0.9.11");
}

TEST(TcpProbe, ASourceAddressThatIsNotOursIsSaid) {
    SilentListener listener;
    TcpProbe probe({listener.at(), base::text::IpAddress::from_v4(0xC0000201)});
    asio::io_context io;
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_NE(outcome.error, "");
}

/// A full backlog: the kernel drops further SYNs, as a host that is gone would.
class FullListener {
public:
    FullListener() : listener_(0) {
        for (int i = 0; i < 4; ++i) {
            auto& socket = waiting_.emplace_back(io_);
            socket.open(asio::ip::tcp::v4());
            socket.native_non_blocking(true);
            const auto to = base::net::to_socket_address(listener_.at());
            // Not Asio's connect, which waits for the end even so. The first ones get through.
            EXPECT_LE(::connect(socket.native_handle(), to.data(), to.size), 0);
        }
    }
    base::net::Endpoint at() const { return listener_.at(); }

private:
    SilentListener listener_;
    asio::io_context io_;
    std::vector<asio::ip::tcp::socket> waiting_;
};

TEST(TcpProbe, APeerThatDoesNotAnswerIsBadAtTheLimit) {
    const FullListener gone;
    TcpProbe probe({gone.at(), std::nullopt});
    asio::io_context io;
    const auto outcome = tests::run_to_end(io, probe.run(50ms));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "timed out");
    EXPECT_GE(outcome.latency, 50ms);
}

asio::awaitable<void> keep(TcpProbe& probe, Outcome& out) {
    out = co_await probe.run(60s);
}

TEST(TcpProbe, CanBeCancelledWhileItConnects) {
    const FullListener gone;
    TcpProbe probe({gone.at(), std::nullopt});
    asio::io_context io;
    base::async::TaskGroup tasks(io.get_executor());
    Outcome outcome{true, "", 0us};
    const auto task = tasks.start(keep(probe, outcome));
    io.poll();
    ASSERT_EQ(tasks.size(), 1u);
    tasks.cancel(task);
    io.run();
    EXPECT_EQ(tasks.size(), 0u);
}

}  // namespace
}  // namespace twinsite::probe
