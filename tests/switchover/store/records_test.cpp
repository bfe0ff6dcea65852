// SPDX-License-Identifier: Apache-2.0
// Runs, users and intent in a store.
#include <gtest/gtest.h>

#include "switchover/store/intent.hpp"
#include "switchover/store/runs.hpp"
#include "switchover/store/sqlite_store.hpp"
#include "switchover/store/users.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover::store {
namespace {

std::int64_t wall() {
    return 1'790'000'000'000;
}

class Records : public testing::Test {
protected:
    Records() {
        OpenFailure failure;
        store_ = open_sqlite({.directory = folder_.path(), .wall_ms = wall}, failure);
        fence_ = *store_->acquire("one");
    }
    Result<Committed> commit(const Transaction& transaction) {
        return store_->commit(fence_, transaction);
    }
    RunRecord new_run(std::uint64_t number) {
        RunRecord run{.id = run_id(1, number), .body = "{\"n\":" + std::to_string(number) + "}"};
        Transaction transaction;
        save_new_run(transaction, run, number, "hash1", "scenario: x");
        const auto done = commit(transaction);
        EXPECT_TRUE(done);
        run.changed = done ? done->revision : 0;
        return run;
    }

    tests::TemporaryFolder folder_;
    std::unique_ptr<Store> store_;
    Fence fence_;
};

TEST_F(Records, ARunIsFoundUntilItEndsAndKeptAfterwards) {
    EXPECT_EQ(*last_run_number(*store_), 0U);
    auto first = new_run(1);
    new_run(2);
    EXPECT_EQ(*last_run_number(*store_), 2U);
    EXPECT_EQ(active_runs(*store_)->size(), 2U);
    EXPECT_EQ(**load_source(*store_, "hash1"), "scenario: x");

    first.active = false;
    first.body = "{\"over\":true}";
    Transaction transaction;
    save_run(transaction, first);
    ASSERT_TRUE(commit(transaction));
    const auto active = active_runs(*store_);
    ASSERT_EQ(active->size(), 1U);
    EXPECT_EQ(active->at(0).id, "r01-000002");
    const auto all = list_runs(*store_, 10);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->at(0).id, "r01-000002");
    EXPECT_TRUE(all->at(0).active);
    EXPECT_EQ(all->at(1).body, "{\"over\":true}");
    EXPECT_FALSE(all->at(1).active);
    EXPECT_EQ(list_runs(*store_, 10, "r01-000002")->size(), 1U);
}

TEST_F(Records, ARunThatSomebodyElseSavedIsNotOverwritten) {
    auto run = new_run(1);
    Transaction theirs;
    save_run(theirs, run);
    ASSERT_TRUE(commit(theirs));
    Transaction ours;
    save_run(ours, run);
    EXPECT_EQ(commit(ours).error(), Errc::conflict);
}

TEST_F(Records, ANumberIsGivenOnce) {
    new_run(1);
    Transaction again;
    save_new_run(again, {.id = run_id(1, 1), .body = "{}"}, 1, "h", "s");
    EXPECT_EQ(commit(again).error(), Errc::conflict);
}

TEST_F(Records, UsersAndSessionsComeBackAsTheyWere) {
    Transaction transaction;
    save_user(transaction, {"admin", "admin", "scrypt$x", true});
    save_user(transaction, {"li", "viewer", "scrypt$y", false});
    save_session(transaction, {"digest", "li", "csrf", 5, 10});
    ASSERT_TRUE(commit(transaction));
    const auto admin = find_user(*store_, "admin");
    ASSERT_TRUE(admin && *admin);
    EXPECT_EQ((*admin)->role, "admin");
    EXPECT_EQ((*admin)->password_hash, "scrypt$x");
    EXPECT_TRUE((*admin)->must_change);
    EXPECT_EQ(list_users(*store_)->size(), 2U);
    EXPECT_EQ((*find_session(*store_, "digest"))->expires_wall_ms, 10);
    EXPECT_EQ(list_sessions(*store_)->at(0).csrf, "csrf");

    Transaction away;
    remove_user(away, "li");
    remove_session(away, "digest");
    ASSERT_TRUE(commit(away));
    EXPECT_FALSE(*find_user(*store_, "li"));
    EXPECT_FALSE(*find_session(*store_, "digest"));
}

TEST_F(Records, IntentComesBackAsItWas) {
    Transaction transaction;
    save_wanted(transaction, {"gslb", "site:east", "out", "lost", "r01-000001", 7});
    save_wanted(
        transaction, {"slb/slb-west", "blade:b1", "drain", "", "li", 8, {{"active", "", "r0", 3}}}
    );
    save_pause(transaction, Pause{"li", "works", 9, 20});
    save_mode(transaction, "east-down", ModeSetting{"auto", "li", "tested", 10});
    save_last_end(transaction, "east-down", 11);
    ASSERT_TRUE(commit(transaction));
    const auto wanted = wanted_states(*store_);
    ASSERT_EQ(wanted->size(), 2U);
    EXPECT_EQ(wanted->at(0).object, "site:east");
    EXPECT_EQ(wanted->at(0).by, "r01-000001");
    EXPECT_FALSE(wanted->at(0).former);
    ASSERT_TRUE(wanted->at(1).former);
    EXPECT_EQ(wanted->at(1).former->state, "active");
    EXPECT_EQ(wanted->at(1).former->by, "r0");
    EXPECT_EQ(wanted->at(1).former->since_wall_ms, 3);
    EXPECT_EQ((*find_pause(*store_))->until_wall_ms, 20);
    EXPECT_EQ(modes(*store_)->at("east-down").mode, "auto");
    EXPECT_EQ(last_ends(*store_)->at("east-down"), 11);

    Transaction away;
    remove_wanted(away, "gslb", "site:east");
    save_pause(away, std::nullopt);
    save_mode(away, "east-down", std::nullopt);
    ASSERT_TRUE(commit(away));
    EXPECT_EQ(wanted_states(*store_)->size(), 1U);
    EXPECT_FALSE(*find_pause(*store_));
    EXPECT_TRUE(modes(*store_)->empty());
}

TEST_F(Records, AnswersAreKeptForRepeatsAndForgottenLater) {
    Transaction transaction;
    save_answer(transaction, "li/key with any bytes \x01", {"r01-000001", "d", 100});
    save_answer(transaction, "li/other", {"r01-000002", "d", 200});
    ASSERT_TRUE(commit(transaction));
    EXPECT_EQ((*find_answer(*store_, "li/key with any bytes \x01"))->run, "r01-000001");
    EXPECT_FALSE(*find_answer(*store_, "li/unknown"));
    Transaction away;
    ASSERT_TRUE(forget_answers(*store_, away, 150));
    ASSERT_TRUE(commit(away));
    EXPECT_FALSE(*find_answer(*store_, "li/key with any bytes \x01"));
    EXPECT_TRUE(*find_answer(*store_, "li/other"));
}

TEST_F(Records, ABrokenRecordIsAnError) {
    ASSERT_TRUE(commit({.writes = {{"user/x", "{"}, {"pause", "{\"by\":3}"}}}));
    EXPECT_EQ(find_user(*store_, "x").error(), Errc::damaged);
    EXPECT_EQ(find_pause(*store_).error(), Errc::damaged);
}

}  // namespace
}  // namespace twinsite::switchover::store
