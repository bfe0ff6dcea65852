// SPDX-License-Identifier: Apache-2.0
#include "switchover/lead/leader.hpp"

#include <gtest/gtest.h>

#include "switchover/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover::lead {
namespace {

std::int64_t wall() {
    return 1'790'000'000'000;
}

class LeaderTest : public testing::Test {
protected:
    LeaderTest() { open(); }
    void open() {
        store_.reset();
        store::OpenFailure failure;
        store_ = store::open_sqlite({.directory = folder_.path(), .wall_ms = wall}, failure);
    }
    static store::Transaction put() {
        store::Transaction out;
        out.writes.push_back({"k", "v"});
        return out;
    }
    tests::TemporaryFolder folder_;
    std::unique_ptr<store::Store> store_;
};

TEST_F(LeaderTest, EachStartTakesAHigherFence) {
    store::Fence first;
    {
        Leader leader(*store_, "sw");
        EXPECT_FALSE(leader.leads());
        EXPECT_EQ(leader.commit(put()).error(), store::Errc::not_leader);
        first = *leader.take();
        EXPECT_TRUE(leader.leads());
        EXPECT_TRUE(leader.commit(put()));
    }
    open();  // as after kill -9: nothing was given up
    Leader leader(*store_, "sw");
    EXPECT_GT(*leader.take(), first);
}

TEST_F(LeaderTest, WhoLostItKnowsAtTheNextWrite) {
    Leader old_leader(*store_, "old");
    Leader new_leader(*store_, "new");
    ASSERT_TRUE(old_leader.take());
    ASSERT_TRUE(new_leader.take());
    EXPECT_TRUE(old_leader.leads());
    EXPECT_EQ(old_leader.commit(put()).error(), store::Errc::not_leader);
    EXPECT_FALSE(old_leader.leads());
    EXPECT_TRUE(new_leader.commit(put()));
}

TEST_F(LeaderTest, WhoLostItKnowsWhenItLooks) {
    Leader old_leader(*store_, "old");
    ASSERT_TRUE(old_leader.take());
    old_leader.check();
    EXPECT_TRUE(old_leader.leads());
    ASSERT_TRUE(Leader(*store_, "new").take());
    old_leader.check();
    EXPECT_FALSE(old_leader.leads());
}

TEST_F(LeaderTest, GivenUpItBelongsToNobody) {
    Leader leader(*store_, "sw");
    const auto fence = *leader.take();
    leader.give_up();
    EXPECT_FALSE(leader.leads());
    EXPECT_EQ(store_->renew(fence).error(), store::Errc::not_leader);
}

TEST_F(LeaderTest, ARaisedGenerationGoesOnAtOnce) {
    Leader leader(*store_, "sw");
    const auto first = *leader.take();
    const auto raised = leader.raise_generation();
    ASSERT_TRUE(raised);
    EXPECT_EQ(raised->generation, first.generation + 1);
    EXPECT_EQ(leader.fence(), *raised);
    EXPECT_TRUE(leader.commit(put()));
}

TEST_F(LeaderTest, UnfinishedRunsAreAdoptedWithALineEach) {
    Leader leader(*store_, "sw");
    ASSERT_TRUE(leader.take());
    for (std::uint64_t number = 1; number <= 3; ++number) {
        store::Transaction transaction;
        store::RunRecord run;
        run.id = store::run_id(1, number);
        run.active = number != 2;
        run.body = "{}";
        store::save_new_run(transaction, run, number, "h", "s");
        ASSERT_TRUE(leader.commit(transaction));
    }
    const auto runs = adopt_runs(*store_, leader);
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 2U);
    EXPECT_EQ(runs->at(0).id, "r01-000001");
    EXPECT_EQ(runs->at(1).id, "r01-000003");
    const auto lines = store_->audit(0, 10);
    ASSERT_EQ(lines->size(), 2U);
    EXPECT_EQ(lines->at(1).action, "run.adopt");
    EXPECT_EQ(lines->at(1).object, "r01-000003");
}

}  // namespace
}  // namespace twinsite::switchover::lead
