// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/spool_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::report {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

SpoolFile::Moment at(milliseconds monotonic, std::uint64_t wall_ms, std::string start = "boot-1") {
    return {monotonic, wall_ms, std::move(start)};
}
SpoolFile::Kept make(std::uint64_t id, milliseconds measured) {
    return {id, measured, {"a:1", "b:2"}, "{\"seq\":" + std::to_string(id) + "}"};
}

class SpoolFileTest : public ::testing::Test {
protected:
    tests::TemporaryFolder folder_;
    std::string path_ = folder_.file("spool.log");
    SpoolFile file_{path_};
};

TEST_F(SpoolFileTest, KeepsEntriesAndWhoLacksThem) {
    ASSERT_TRUE(file_.append(make(1, seconds(10)), at(seconds(20), 100'000)));
    ASSERT_TRUE(file_.append(make(2, seconds(15)), at(seconds(20), 100'000)));
    ASSERT_TRUE(file_.append_acknowledged(1, "a:1"));
    ASSERT_TRUE(file_.append_acknowledged(2, "a:1"));
    ASSERT_TRUE(file_.append_acknowledged(2, "b:2"));
    const auto loaded = SpoolFile(path_).load(at(seconds(30), 110'000));
    EXPECT_EQ(loaded.damaged, 0U);
    ASSERT_EQ(loaded.entries.size(), 1U);
    EXPECT_EQ(loaded.entries[0].id, 1U);
    EXPECT_EQ(loaded.entries[0].measured, seconds(10));
    EXPECT_EQ(loaded.entries[0].servers, std::vector<std::string>{"b:2"});
    EXPECT_EQ(loaded.entries[0].text, "{\"seq\":1}");
}

TEST_F(SpoolFileTest, AgesDoNotTrustTheWallClockWhileTheMachineRuns) {
    ASSERT_TRUE(file_.append(make(1, seconds(10)), at(seconds(20), 100'000)));
    const auto jumped = SpoolFile(path_).load(at(seconds(25), 3'700'000));
    EXPECT_EQ(jumped.entries[0].measured, seconds(10));
}

TEST_F(SpoolFileTest, AfterARestartOfTheMachineTheWallClockHasToDo) {
    ASSERT_TRUE(file_.append(make(1, seconds(10)), at(seconds(20), 100'000)));
    auto loaded = SpoolFile(path_).load(at(seconds(5), 160'000, "boot-2"));
    EXPECT_EQ(loaded.entries[0].measured, seconds(5) - seconds(70));
    loaded = SpoolFile(path_).load(at(seconds(5), 1'000, "boot-2"));
    EXPECT_EQ(loaded.entries[0].measured, seconds(5)) << "never in the future";
    loaded = SpoolFile(path_).load(at(seconds(5), 1'000'000'000'000, "boot-2"));
    EXPECT_EQ(loaded.entries[0].measured, seconds(5) - hours(24)) << "never older than a day";
}

TEST_F(SpoolFileTest, ATornOrForeignLineCostsThatLineOnly) {
    ASSERT_TRUE(file_.append(make(1, seconds(10)), at(seconds(20), 100'000)));
    std::ofstream(path_, std::ios::app) << "? what\n- 99 a:1\n+ 2 x y z\n+ 3 1 1 a:1 {\"torn";
    const auto loaded = SpoolFile(path_).load(at(seconds(20), 100'000));
    EXPECT_EQ(loaded.entries.size(), 1U);
    EXPECT_EQ(loaded.damaged, 4U);
    std::ofstream(path_) << "something else\n";
    EXPECT_EQ(SpoolFile(path_).load(at(seconds(20), 100'000)).damaged, 1U);
}

TEST_F(SpoolFileTest, NeverGrowsBeyondItsLimit) {
    auto entry = make(1, seconds(1));
    entry.text = std::string(1024 * 1024, 'x');
    bool taken = true;
    for (int count = 0; count < 20 && taken; ++count)
        taken = file_.append(entry, at(seconds(1), 1));
    EXPECT_FALSE(taken);
    EXPECT_LE(std::filesystem::file_size(path_), SpoolFile::kMaxBytes);
    ASSERT_TRUE(file_.rewrite({make(1, seconds(1))}, at(seconds(1), 1)));
    EXPECT_LT(std::filesystem::file_size(path_), 200U);
    EXPECT_TRUE(file_.append(make(2, seconds(1)), at(seconds(1), 1)));
    EXPECT_EQ(SpoolFile(path_).load(at(seconds(1), 1)).entries.size(), 2U);
}

TEST_F(SpoolFileTest, AGoodFileIsNotCutOffAfterAFailedRewrite) {
    namespace fs = std::filesystem;
    const fs::path folder = path_ + ".d";
    fs::create_directory(folder);
    SpoolFile file((folder / "spool.log").string());
    ASSERT_TRUE(file.append(make(1, seconds(1)), at(seconds(1), 1)));
    fs::rename(folder, path_ + ".away");
    EXPECT_FALSE(file.rewrite({make(1, seconds(1)), make(2, seconds(1))}, at(seconds(1), 1)));
    fs::rename(path_ + ".away", folder);
    EXPECT_FALSE(file.append(make(3, seconds(1)), at(seconds(1), 1)));
    const SpoolFile other((folder / "spool.log").string());
    EXPECT_EQ(other.load(at(seconds(1), 1)).entries.size(), 1U);
    EXPECT_TRUE(file.rewrite({make(2, seconds(1))}, at(seconds(1), 1)));
    EXPECT_TRUE(file.append(make(3, seconds(1)), at(seconds(1), 1)));
    EXPECT_EQ(other.load(at(seconds(1), 1)).entries.size(), 2U);
}

TEST_F(SpoolFileTest, WithoutEntriesThereIsNoFile) {
    ASSERT_TRUE(file_.append(make(1, seconds(1)), at(seconds(1), 1)));
    ASSERT_TRUE(file_.rewrite({}, at(seconds(1), 1)));
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_TRUE(SpoolFile(path_).load(at(seconds(1), 1)).entries.empty());
}

}  // namespace
}  // namespace twinsite::monitor::report
