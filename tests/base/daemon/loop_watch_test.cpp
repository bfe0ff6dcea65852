// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/loop_watch.hpp"

#include <future>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "tests/support/loop.hpp"

namespace twinsite::base::daemon {
namespace {

using namespace std::chrono_literals;

TEST(LoopWatch, NoticesAStallAndItsEnd) {
    tests::Loop loop;
    std::promise<void> stalled;
    std::promise<void> resumed;
    auto watch = loop.on_loop([&] {
        return std::make_unique<LoopWatch>(
            loop.io(),
            LoopWatch::Settings{10ms, 200ms},
            [&, first = true](bool is_stalled) mutable {
                if (!first) return;
                (is_stalled ? stalled : resumed).set_value();
                first = is_stalled;
            }
        );
    });
    // The loop stands still until the watch has noticed.
    boost::asio::post(loop.io(), [&] { stalled.get_future().wait(); });
    ASSERT_EQ(resumed.get_future().wait_for(30s), std::future_status::ready);
    EXPECT_GE(watch->stalls(), 1U);
    loop.on_loop([&] { watch.reset(); });
}

TEST(LoopWatch, EndsWithItsLoopAtAnyMoment) {
    boost::asio::io_context io;
    {
        const LoopWatch watch(io, {1ms, 1ms});
    }
    io.poll();
}

}  // namespace
}  // namespace twinsite::base::daemon
