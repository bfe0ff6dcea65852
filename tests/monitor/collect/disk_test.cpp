// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/disk.hpp"

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

// M-T12: 20 % reserved, df says 1 % (of what others than root can use), 1 KiB blocks.
TEST(Disk, PercentIsOfWhatCanBeUsedRoundedUp) {
    const auto use = measure_disk({1024, 14'073, 14'059, 10'456, 100, 90});
    EXPECT_EQ(use.used_percent, 1U);
    EXPECT_EQ(use.size_bytes, 14'073ULL * 1024);
    EXPECT_EQ(use.used_bytes, 14ULL * 1024);
    EXPECT_EQ(use.available_bytes, 10'456ULL * 1024);
    EXPECT_EQ(use.inodes_used_percent, 10U);
    EXPECT_FALSE(use.flagged);
    // A machine where three honest formulas give 7, 19 and 69.
    EXPECT_EQ(measure_disk({4096, 66'053'021, 61'287'020, 20'318'296, 0, 0}).used_percent, 19U);
}

TEST(Disk, NothingLeftForOthersIsAHundred) {
    EXPECT_EQ(measure_disk({1024, 1'000, 200, 0, 0, 0}).used_percent, 100U);
    EXPECT_EQ(measure_disk({1024, 1'000'000, 999'999, 1'000'000'000, 0, 0}).used_percent, 100U);
}

TEST(Disk, CountsThatWrappedAreTakenAsNoneAndFlagged) {
    const auto use = measure_disk({4096, 1'000, 100, ~0ULL - 5, 0, 0});
    EXPECT_EQ(use.available_bytes, 0U);
    EXPECT_EQ(use.used_percent, 100U);
    EXPECT_TRUE(use.flagged);
}

TEST(Disk, NoLimitOfInodesIsNoUse) {
    EXPECT_EQ(measure_disk({4096, 10, 5, 5, 0, 0}).inodes_used_percent, 0U);
}

TEST(Disk, AnEmptyFileSystemIsNoDivisionByZero) {
    EXPECT_EQ(measure_disk({}).used_percent, 0U);
}

constexpr auto kMounts =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "28 27 8:1 /srv /srv rw - ext4 /dev/sda1 rw\n"
    "29 27 8:2 / /var/lib/my\\040data rw - xfs /dev/sdb\\0401 rw\n"
    "30 27 8:3 / /logs ro,relatime - ext4 /dev/sdc1 ro\n"
    "31 27 0:44 / /net rw - nfs4 filer:/vol rw\n"
    "32 27 0:45 / /tmp rw - tmpfs tmpfs rw\n"
    "33 27 8:4 / /broken rw\n"
    "\n";

std::vector<std::string> points(const std::vector<Mount>& mounts) {
    std::vector<std::string> out;
    for (const auto& mount : mounts) out.push_back(mount.point);
    return out;
}

TEST(Disk, MountsAreReadWithTheirEscapesUndone) {
    const auto mounts = parse_mountinfo(kMounts);
    ASSERT_EQ(mounts.size(), 7U);
    EXPECT_EQ(mounts[3], (Mount{"8:2", "/var/lib/my data", "xfs", "/dev/sdb 1", false}));
    EXPECT_TRUE(mounts[4].read_only);
}

// M-T12: mounted twice, counted once.
TEST(Disk, RealFileSystemsAreChosenOneForEachDevice) {
    const std::vector<std::string> want{"/", "/logs", "/var/lib/my data"};
    EXPECT_EQ(points(choose_mounts(parse_mountinfo(kMounts), {}, {})), want);
}

TEST(Disk, WhatIsAskedForByPathIsChosenWhateverItIs) {
    const auto all = parse_mountinfo(kMounts);
    EXPECT_EQ(
        points(choose_mounts(all, {"/net", "/tmp"}, {})), (std::vector<std::string>{"/net", "/tmp"})
    );
    EXPECT_EQ(
        points(choose_mounts(all, {}, {"/logs"})),
        (std::vector<std::string>{"/", "/var/lib/my data"})
    );
}

TEST(Disk, OfTwoMountsOnOnePathTheUpperOneCounts) {
    const auto mounts = parse_mountinfo(
        "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "28 1 8:1 / / ro - ext4 /dev/sda1 ro\n"
    );
    const auto chosen = choose_mounts(mounts, {}, {});
    ASSERT_EQ(chosen.size(), 1U);
    EXPECT_TRUE(chosen[0].read_only);
}

}  // namespace
}  // namespace twinsite::monitor::collect
