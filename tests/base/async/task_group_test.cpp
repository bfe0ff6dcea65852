// SPDX-License-Identifier: Apache-2.0
#include "base/async/task_group.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/async/deadline.hpp"

namespace twinsite::base::async {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

asio::awaitable<void> sleeps(std::chrono::milliseconds time, int& ended) {
    co_await sleep_for(time);
    ++ended;
}

asio::awaitable<void> throws(std::string text) {
    co_await sleep_for(1ms);
    throw std::runtime_error(text);
}

asio::awaitable<void> waits_for(TaskGroup& group, bool& idle) {
    co_await group.wait();
    idle = true;
}

TEST(TaskGroup, RunsItsTasksAndKnowsHowManyThereAre) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    int ended = 0;
    for (int i = 0; i < 3; ++i) group.start(sleeps(1ms, ended));
    EXPECT_EQ(group.size(), 3u);
    io.run();
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroup, CancelEndsAllTasksEarly) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    int ended = 0;
    for (int i = 0; i < 3; ++i) group.start(sleeps(24h, ended));
    io.poll();
    group.cancel();
    io.run();
    EXPECT_EQ(group.size(), 0u);
    EXPECT_EQ(ended, 3) << "the sleep came back; nothing else was awaited";
}

TEST(TaskGroup, CancelOfOneTaskLeavesTheOthers) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    int first = 0;
    int second = 0;
    const auto task = group.start(sleeps(24h, first));
    group.start(sleeps(20ms, second));
    io.poll();
    group.cancel(task);
    group.cancel(task);
    io.poll();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 0);
    io.run();
    EXPECT_EQ(second, 1);
    group.cancel(task);  // long gone: nothing happens
}

TEST(TaskGroup, ATaskCancelledBeforeItBeganEndsToo) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    int ended = 0;
    group.start(sleeps(24h, ended));
    group.cancel();
    io.run_for(10s);
    EXPECT_EQ(group.size(), 0u);
}

asio::awaitable<void> cancels_its_group(TaskGroup& group, int& ended) {
    co_await sleep_for(1ms);
    group.cancel();
    ++ended;
}

TEST(TaskGroup, ATaskMayCancelItsOwnGroup) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    int ended = 0;
    group.start(sleeps(24h, ended));
    group.start(cancels_its_group(group, ended));
    io.run();
    EXPECT_EQ(ended, 2);
}

TEST(TaskGroup, TellsOfExceptionsAndGoesOn) {
    asio::io_context io;
    std::vector<std::string> heard;
    TaskGroup group(io.get_executor(), [&](std::exception_ptr failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::runtime_error& error) {
            heard.emplace_back(error.what());
        }
    });
    int ended = 0;
    group.start(throws("one"));
    group.start(sleeps(5ms, ended));
    io.run();
    EXPECT_EQ(heard, std::vector<std::string>{"one"});
    EXPECT_EQ(ended, 1);
}

TEST(TaskGroup, WaitComesBackWhenTheLastTaskEnded) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    TaskGroup watchers(io.get_executor());
    int ended = 0;
    bool idle = false;
    group.start(sleeps(5ms, ended));
    group.start(sleeps(10ms, ended));
    watchers.start(waits_for(group, idle));
    while (ended < 2) {
        EXPECT_FALSE(idle);
        io.run_one();
    }
    io.run();
    EXPECT_TRUE(idle);
    idle = false;
    watchers.start(waits_for(group, idle));
    io.restart();
    io.run();
    EXPECT_TRUE(idle) << "an empty group is idle at once";
}

TEST(TaskGroup, DestructionCancelsAndIsSafeForTasksThatEndLater) {
    asio::io_context io;
    int ended = 0;
    int failures = 0;
    auto group =
        std::make_unique<TaskGroup>(io.get_executor(), [&](std::exception_ptr) { ++failures; });
    group->start(sleeps(24h, ended));
    io.poll();
    group.reset();
    io.run();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(failures, 0);
}

TEST(TaskGroup, TheLoopMayBeDestroyedWithTasksInIt) {
    int ended = 0;
    {
        asio::io_context io;
        TaskGroup group(io.get_executor());
        group.start(sleeps(24h, ended));
        io.poll();
    }
    EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace twinsite::base::async
