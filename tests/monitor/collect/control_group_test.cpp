// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/control_group.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::collect {
namespace {

/// A root with files at chosen paths.
class FakeRoot {
public:
    FakeRoot& file(const std::string& path, const std::string& text) {
        const auto whole = std::filesystem::path(folder_.path()) / path;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
        return *this;
    }
    ControlGroup group() const { return ControlGroup(folder_.path()); }

private:
    tests::TemporaryFolder folder_;
};

TEST(ControlGroup, TheLowestLimitOnThePathCounts) {
    FakeRoot root;
    root.file("proc/self/cgroup", "0::/pod/job\n")
        .file("sys/fs/cgroup/pod/job/memory.max", "max\n")
        .file("sys/fs/cgroup/pod/memory.max", "1000000\n")
        .file("sys/fs/cgroup/pod/memory.current", "700000\n")
        .file("sys/fs/cgroup/pod/memory.stat", "anon 1\ninactive_file 200000\nfile 3\n")
        .file("sys/fs/cgroup/memory.max", "5000000\n");
    const auto memory = root.group().memory();
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->limit_bytes, 1'000'000U);
    EXPECT_EQ(memory->usage_bytes, 500'000U);
}

TEST(ControlGroup, VersionOneSaysNoneByAHugeNumber) {
    FakeRoot root;
    root.file("proc/self/cgroup", "4:memory:/a/b\n1:cpu,cpuacct:/a\n0::/\n")
        .file("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n")
        .file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000\n")
        .file(
            "sys/fs/cgroup/memory/a/memory.stat",
            "total_cache 900\ntotal_rss 600\ntotal_inactive_file 400\n"
        );
    const auto memory = root.group().memory();
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->limit_bytes, 2'000U);
    EXPECT_EQ(memory->usage_bytes, 1'100U);
}

TEST(ControlGroup, AQuotaIsInProcessors) {
    FakeRoot two;
    two.file("proc/self/cgroup", "0::/pod\n")
        .file("sys/fs/cgroup/pod/cpu.max", "150000 100000\n")
        .file("sys/fs/cgroup/pod/cpu.stat", "usage_usec 12\nthrottled_usec 5\n");
    ASSERT_TRUE(two.group().cpu());
    EXPECT_DOUBLE_EQ(two.group().cpu()->cpus, 1.5);
    EXPECT_EQ(two.group().cpu()->usage_us, 12U);
    EXPECT_EQ(two.group().cpu()->throttled_us, 5U);
    FakeRoot one;
    one.file("proc/self/cgroup", "1:cpu,cpuacct:/a\n")
        .file("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n")
        .file("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n")
        .file("sys/fs/cgroup/cpuacct/a/cpuacct.usage", "7000\n");
    ASSERT_TRUE(one.group().cpu());
    EXPECT_DOUBLE_EQ(one.group().cpu()->cpus, 0.5);
    EXPECT_EQ(one.group().cpu()->usage_us, 7U);
}

TEST(ControlGroup, WithoutLimitsThereIsNone) {
    FakeRoot root;
    root.file("proc/self/cgroup", "4:memory:/\n1:cpu:/\n0::/\n")
        .file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
        .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_FALSE(root.group().memory());
    EXPECT_FALSE(root.group().cpu());
    const FakeRoot nothing;
    EXPECT_FALSE(nothing.group().memory());
    EXPECT_FALSE(nothing.group().cpu());
}

TEST(ControlGroup, TheLimitsOfOurOwnServiceAreNotThoseOfTheMachine) {
    FakeRoot root;
    root.file("proc/self/cgroup", "0::/system.slice/twinsite-monitor.service\n")
        .file("sys/fs/cgroup/system.slice/twinsite-monitor.service/memory.max", "1000\n")
        .file("sys/fs/cgroup/system.slice/twinsite-monitor.service/cpu.max", "1000 100000\n");
    EXPECT_FALSE(root.group().memory());
    EXPECT_FALSE(root.group().cpu());
    root.file("sys/fs/cgroup/system.slice/memory.max", "9000\n")
        .file("sys/fs/cgroup/system.slice/cpu.max", "200000 100000\n");
    ASSERT_TRUE(root.group().memory());
    EXPECT_EQ(root.group().memory()->limit_bytes, 9000U);
    ASSERT_TRUE(root.group().cpu());
    EXPECT_DOUBLE_EQ(root.group().cpu()->cpus, 2.0);
}

TEST(ControlGroup, ParentsEndAtTheTop) {
    EXPECT_EQ(parent_group("/a/b"), "/a");
    EXPECT_EQ(parent_group("/a"), "/");
    EXPECT_EQ(parent_group("/"), std::nullopt);
}

}  // namespace
}  // namespace twinsite::monitor::collect
