// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/disk_watch.hpp"

#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using namespace std::chrono_literals;
using wire::contract::Status;

/// File systems of which some hang until they are let go. Calls are counted.
class FakeFileSystems {
public:
    base::Result<FileSystemCounts> ask(const std::string& point) {
        std::unique_lock lock(mutex_);
        ++calls_[point];
        changed_.notify_all();
        if (point == "/hung") changed_.wait(lock, [this] { return let_go_; });
        if (point == "/gone") return base::Error(ENOENT, boost::system::system_category());
        return FileSystemCounts{1024, 100, 50, 50, 0, 0};
    }
    void let_go() {
        const std::lock_guard lock(mutex_);
        let_go_ = true;
        changed_.notify_all();
    }
    void wait_for_calls(const std::string& point, int count) {
        std::unique_lock lock(mutex_);
        ASSERT_TRUE(changed_.wait_for(lock, 20s, [&] { return calls_[point] >= count; }));
    }
    int calls(const std::string& point) {
        const std::lock_guard lock(mutex_);
        return calls_[point];
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, int> calls_;
    bool let_go_ = false;
};

Mount mount_at(const std::string& point) {
    return {point, point, "ext4", "/dev" + point, false};
}

std::map<std::string, Status> states(const std::vector<wire::contract::Sample>& samples) {
    std::map<std::string, Status> out;
    for (const auto& sample : samples) out[sample.instance] = sample.status;
    return out;
}

TEST(DiskWatch, AHungFileSystemIsStuckAskedOnceAndHoldsNobodyUp) {
    const auto files = std::make_shared<FakeFileSystems>();
    DiskWatch watch(
        [] { return std::vector<Mount>{mount_at("/a"), mount_at("/hung"), mount_at("/z")}; },
        [files](const std::string& point) { return files->ask(point); }
    );
    files->wait_for_calls("/hung", 1);
    const auto late = std::chrono::steady_clock::now() + DiskWatch::kDeadline + 1s;
    EXPECT_EQ(states(watch.sample(late))["/hung"], Status::stuck);
    files->wait_for_calls("/z", 1);  // by the next worker
    const auto again = states(watch.sample(late + 10s));
    EXPECT_EQ(again.at("/a"), Status::ok);
    EXPECT_EQ(again.at("/hung"), Status::stuck);
    EXPECT_EQ(files->calls("/hung"), 1);
    files->let_go();
    files->wait_for_calls("/hung", 2);  // asked anew once it has come back
}

TEST(DiskWatch, AFileSystemThatCannotBeAskedIsAnErrorWithItsReason) {
    const auto files = std::make_shared<FakeFileSystems>();
    DiskWatch watch(
        [] { return std::vector<Mount>{mount_at("/gone"), mount_at("/z")}; },
        [files](const std::string& point) { return files->ask(point); }
    );
    files->wait_for_calls("/z", 1);
    const auto samples = watch.sample(std::chrono::steady_clock::now());
    ASSERT_FALSE(samples.empty());
    EXPECT_EQ(samples[0].instance, "/gone");
    EXPECT_EQ(samples[0].status, Status::error);
    EXPECT_NE(samples[0].detail, "");
}

}  // namespace
}  // namespace twinsite::monitor::collect
