// SPDX-License-Identifier: Apache-2.0
// What only the SQLite store has: files, that is, and what may happen to them.
#include "switchover/store/sqlite_store.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include "switchover/store/sqlite.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover::store {
namespace {

std::int64_t wall() {
    return 1'790'000'000'000;
}

std::unique_ptr<Store> open_in(
    const std::string& folder, OpenFailure& failure, std::uint64_t max_pages = 0
) {
    return open_sqlite({.directory = folder, .wall_ms = wall, .max_pages = max_pages}, failure);
}

Transaction put(const std::string& key, const std::string& value) {
    return {.writes = {{key, value}}, .audit = {{"li", "", "put", key, "done", ""}}};
}

/// Some entries and audit lines, closed again.
void fill(const std::string& folder) {
    OpenFailure failure;
    const auto store = open_in(folder, failure);
    ASSERT_TRUE(store) << failure.text;
    const auto fence = store->acquire("one");
    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(store->commit(*fence, put("k" + std::to_string(i), std::string(2000, 'v'))));
}

void overwrite(const std::string& file, std::streamoff at, const std::string& bytes) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(at);
    out << bytes;
    ASSERT_TRUE(out.good());
}

TEST(SqliteStore, ASecondProcessIsKeptOut) {
    const tests::TemporaryFolder folder;
    OpenFailure failure;
    const auto first = open_in(folder.path(), failure);
    ASSERT_TRUE(first);
    const auto child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        OpenFailure theirs;
        const auto second = open_in(folder.path(), theirs);
        ::_exit(!second && theirs.error == Errc::in_use ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(SqliteStore, AKilledWriterLosesNothingThatWasCommitted) {
    const tests::TemporaryFolder folder;
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const auto child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        OpenFailure failure;
        const auto store = open_in(folder.path(), failure);
        const auto fence = store->acquire("one");
        for (int i = 0; i < 20; ++i)
            if (!store->commit(*fence, put("k" + std::to_string(i), "v"))) ::_exit(1);
        static_cast<void>(::write(pipe_ends[1], "x", 1));
        for (;;) ::pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(pipe_ends[0], &ready, 1), 1);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    OpenFailure failure;
    const auto store = open_in(folder.path(), failure);
    ASSERT_TRUE(store) << failure.text;
    EXPECT_EQ(store->list({})->size(), 20U);
    EXPECT_EQ(*store->audit_last(), 20U);
    EXPECT_FALSE(store->verify_audit()->first_bad);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
}

TEST(SqliteStore, AFullDiskRefusesTheWholeTransactionAndHealsLater) {
    const tests::TemporaryFolder folder;
    OpenFailure failure;
    const auto store = open_in(folder.path(), failure, 40);
    ASSERT_TRUE(store) << failure.text;
    const auto fence = store->acquire("one");
    Result<Committed> last = Committed{};
    int stored = 0;
    for (; stored < 100 && last; ++stored)
        last = store->commit(*fence, put("k" + std::to_string(stored), std::string(9000, 'v')));
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error(), Errc::full);
    --stored;
    EXPECT_EQ(store->list({})->size(), static_cast<std::size_t>(stored));
    EXPECT_EQ(*store->audit_last(), static_cast<std::uint64_t>(stored));
    ASSERT_TRUE(store->commit(*fence, {.writes = {{"k0", std::nullopt}, {"k1", std::nullopt}}}));
    EXPECT_TRUE(store->commit(*fence, put("k0", "short")));
    EXPECT_FALSE(store->verify_audit()->first_bad);
}

TEST(SqliteStore, ADamagedFileIsRefusedWithItsName) {
    const tests::TemporaryFolder folder;
    fill(folder.path());
    const auto file = folder.file("store.db");
    const auto size = std::filesystem::file_size(file);
    for (std::uintmax_t page = 1; page < size / 4096; page += 3)
        overwrite(file, static_cast<std::streamoff>(page * 4096), std::string(64, '\xff'));
    OpenFailure failure;
    EXPECT_FALSE(open_in(folder.path(), failure));
    EXPECT_EQ(failure.error, Errc::damaged);
    EXPECT_NE(failure.text.find(file), std::string::npos) << failure.text;
}

TEST(SqliteStore, AnotherFileIsNotTakenForAStore) {
    const tests::TemporaryFolder folder;
    std::ofstream(folder.file("store.db")) << std::string(10'000, 'x');
    OpenFailure failure;
    EXPECT_FALSE(open_in(folder.path(), failure));
    EXPECT_EQ(failure.error, Errc::damaged);
    std::filesystem::remove(folder.file("store.db"));
    {
        auto foreign = Database::open(folder.file("store.db"));
        ASSERT_TRUE(foreign->execute("CREATE TABLE other(x)"));
    }
    EXPECT_FALSE(open_in(folder.path(), failure));
    EXPECT_EQ(failure.error, Errc::damaged);
}

TEST(SqliteStore, AFileOfALaterVersionIsLeftAlone) {
    const tests::TemporaryFolder folder;
    fill(folder.path());
    ASSERT_TRUE(Database::open(folder.file("store.db"))->execute("PRAGMA user_version=99"));
    OpenFailure failure;
    EXPECT_FALSE(open_in(folder.path(), failure));
    EXPECT_EQ(failure.error, Errc::newer_schema);
}

TEST(SqliteStore, ALogWithoutItsFileIsNotThrownAway) {
    const tests::TemporaryFolder folder;
    std::ofstream(folder.file("store.db-wal")) << "left over";
    OpenFailure failure;
    EXPECT_FALSE(open_in(folder.path(), failure));
    EXPECT_EQ(failure.error, Errc::damaged);
    EXPECT_FALSE(std::filesystem::exists(folder.file("store.db")));
}

TEST(SqliteStore, AFolderThatIsMissingIsNamed) {
    OpenFailure failure;
    EXPECT_FALSE(open_in("/nonexistent/twinsite", failure));
    EXPECT_NE(failure.text.find("/nonexistent/twinsite/store.lock"), std::string::npos);
}

TEST(SqliteStore, OnlyItsOwnerReadsTheFiles) {
    const tests::TemporaryFolder folder;
    OpenFailure failure;
    const auto store = open_in(folder.path(), failure);
    ASSERT_TRUE(store->acquire("one"));
    for (const auto* name : {"store.db", "store.db-wal", "store.db-shm", "store.lock"}) {
        struct stat facts{};
        ASSERT_EQ(::stat(folder.file(name).c_str(), &facts), 0) << name;
        EXPECT_EQ(facts.st_mode & 0777U, 0600U) << name;
    }
}

TEST(SqliteStore, AFileInOthersHandsIsNotWaitedForLong) {
    const tests::TemporaryFolder folder;
    OpenFailure failure;
    const auto store = open_in(folder.path(), failure);
    const auto fence = store->acquire("one");
    auto other = Database::open(folder.file("store.db"));
    {
        const auto scope = WriteScope::begin(*other);
        ASSERT_TRUE(scope);
        const auto began = std::chrono::steady_clock::now();
        EXPECT_EQ(store->commit(*fence, put("k", "v")).error(), Errc::in_use);
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
    }
    EXPECT_TRUE(store->commit(*fence, put("k", "v")));
}

TEST(SqliteStore, TamperingWithTheAuditIsFound) {
    const tests::TemporaryFolder folder;
    fill(folder.path());
    const auto file = folder.file("store.db");
    {
        auto database = Database::open(file);
        EXPECT_FALSE(database->execute("UPDATE audit SET who='wang' WHERE seq=7"));
        EXPECT_FALSE(database->execute("DELETE FROM audit WHERE seq=7"));
        ASSERT_TRUE(
            database->execute("DROP TRIGGER audit_fixed;DROP TRIGGER audit_kept;"
                              "UPDATE audit SET who='wang' WHERE seq=7")
        );
    }
    OpenFailure failure;
    auto store = open_in(folder.path(), failure);
    EXPECT_EQ(store->verify_audit()->first_bad, 7U);
    store.reset();
    ASSERT_TRUE(
        Database::open(file)->execute("UPDATE audit SET who='li' WHERE seq=7;"
                                      "DELETE FROM audit WHERE seq>48")
    );
    store = open_in(folder.path(), failure);
    EXPECT_EQ(store->verify_audit()->first_bad, 49U);
    store.reset();
    ASSERT_TRUE(Database::open(file)->execute("DELETE FROM audit WHERE seq=20"));
    store = open_in(folder.path(), failure);
    EXPECT_EQ(store->verify_audit()->first_bad, 21U);
}

}  // namespace
}  // namespace twinsite::switchover::store
