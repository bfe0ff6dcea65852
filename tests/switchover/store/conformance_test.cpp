// SPDX-License-Identifier: Apache-2.0
#include "tests/switchover/store/conformance.hpp"

#include <algorithm>

#include "switchover/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover::store {
namespace {

std::int64_t fixed_wall() {
    return 1'790'000'000'000;
}

std::unique_ptr<Store> open_sqlite_in(const std::string& folder) {
    OpenFailure failure;
    auto store = open_sqlite({.directory = folder, .wall_ms = fixed_wall}, failure);
    EXPECT_TRUE(store) << failure.text;
    return store;
}

Transaction put(const std::string& key, const std::string& value) {
    return {.writes = {{key, value}}};
}

AuditDraft line(const std::string& action) {
    return {"li", "127.0.0.1", action, "ocs", "done", ""};
}

class StoreTest : public Conformance {
protected:
    StoreTest() : store_(GetParam().open(folder_.path())) {}
    void SetUp() override {
        ASSERT_TRUE(store_);
        const auto taken = store_->acquire("one");
        ASSERT_TRUE(taken);
        fence_ = *taken;
    }
    void reopen() {
        store_.reset();
        store_ = GetParam().open(folder_.path());
        ASSERT_TRUE(store_);
    }
    std::string value(const std::string& key) {
        const auto entry = store_->find(key);
        return entry && *entry ? (*entry)->value : "(absent)";
    }

    tests::TemporaryFolder folder_;
    std::unique_ptr<Store> store_;
    Fence fence_;
};

TEST_P(StoreTest, AFenceIsAboveAllThoseBefore) {
    const auto second = store_->acquire("two");
    ASSERT_TRUE(second);
    EXPECT_GT(*second, fence_);
    reopen();
    const auto third = store_->acquire("three");
    ASSERT_TRUE(third);
    EXPECT_GT(*third, *second);
}

TEST_P(StoreTest, AFormerLeaderWritesNothing) {
    ASSERT_TRUE(store_->commit(fence_, put("a", "old")));
    ASSERT_TRUE(store_->acquire("two"));
    auto late = put("a", "late");
    late.audit = {line("late")};
    const auto refused = store_->commit(fence_, late);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), Errc::not_leader);
    EXPECT_EQ(value("a"), "old");
    EXPECT_EQ(*store_->audit_last(), 0U);
    EXPECT_EQ(store_->renew(fence_).error(), Errc::not_leader);
    EXPECT_EQ(store_->release(fence_).error(), Errc::not_leader);
    EXPECT_EQ(store_->raise_generation(fence_).error(), Errc::not_leader);
}

TEST_P(StoreTest, NobodyLeadsAfterARelease) {
    EXPECT_TRUE(store_->renew(fence_));
    ASSERT_TRUE(store_->release(fence_));
    EXPECT_EQ(store_->renew(fence_).error(), Errc::not_leader);
    EXPECT_EQ(store_->commit(fence_, put("a", "b")).error(), Errc::not_leader);
    EXPECT_EQ(store_->commit({1, 0}, put("a", "b")).error(), Errc::not_leader);
}

TEST_P(StoreTest, ARaisedGenerationOutlivesARestart) {
    const auto raised = store_->raise_generation(fence_);
    ASSERT_TRUE(raised);
    EXPECT_EQ(raised->generation, fence_.generation + 1);
    EXPECT_EQ(store_->commit(fence_, put("a", "b")).error(), Errc::not_leader);
    EXPECT_TRUE(store_->commit(*raised, put("a", "b")));
    reopen();
    EXPECT_EQ(store_->acquire("two")->generation, raised->generation);
}

TEST_P(StoreTest, RevisionsTellWhatMadeAndChangedAKey) {
    const auto made = store_->commit(fence_, put("a", "1"));
    const auto changed = store_->commit(fence_, put("a", "2"));
    ASSERT_TRUE(made);
    ASSERT_TRUE(changed);
    EXPECT_GT(changed->revision, made->revision);
    const auto entry = store_->find("a");
    ASSERT_TRUE(entry && *entry);
    EXPECT_EQ((*entry)->created, made->revision);
    EXPECT_EQ((*entry)->changed, changed->revision);
    ASSERT_TRUE(store_->commit(fence_, {.writes = {{"a", std::nullopt}}}));
    EXPECT_EQ(value("a"), "(absent)");
    const auto again = store_->commit(fence_, put("a", "3"));
    EXPECT_EQ((*store_->find("a"))->created, again->revision);
}

TEST_P(StoreTest, AFailedComparisonWritesNothingAtAll) {
    const auto made = store_->commit(fence_, put("a", "1"));
    ASSERT_TRUE(made);
    Transaction wrong{
        .compares = {{"a", made->revision}, {"b", made->revision}},
        .writes = {{"a", "2"}, {"b", "2"}},
        .audit = {line("wrong")}
    };
    EXPECT_EQ(store_->commit(fence_, wrong).error(), Errc::conflict);
    EXPECT_EQ(value("a"), "1");
    EXPECT_EQ(*store_->audit_last(), 0U);
    wrong.compares[1].changed = 0;  // b is absent
    EXPECT_TRUE(store_->commit(fence_, wrong));
    EXPECT_EQ(value("a"), "2");
    EXPECT_EQ(value("b"), "2");
    EXPECT_EQ(store_->commit(fence_, wrong).error(), Errc::conflict);
}

TEST_P(StoreTest, AListIsAPageOfItsPrefix) {
    Transaction many;
    for (const auto* key : {"run/1", "run/2", "run/3", "run", "run0", "runs/9", "q"})
        many.writes.push_back({key, std::string("v") + key});
    ASSERT_TRUE(store_->commit(fence_, many));
    const auto keys = [&](const Range& range) {
        std::vector<std::string> out;
        const auto entries = store_->list(range);
        EXPECT_TRUE(entries);
        if (entries)
            for (const auto& entry : *entries) out.push_back(entry.key);
        return out;
    };
    using Keys = std::vector<std::string>;
    EXPECT_EQ(keys({.prefix = "run/"}), (Keys{"run/1", "run/2", "run/3"}));
    EXPECT_EQ(keys({.prefix = "run/", .after = "run/1", .limit = 1}), (Keys{"run/2"}));
    EXPECT_EQ(keys({.prefix = "run/", .limit = 2, .newest_first = true}), (Keys{"run/3", "run/2"}));
    EXPECT_EQ(keys({.prefix = "run/", .after = "run/2", .newest_first = true}), (Keys{"run/1"}));
    EXPECT_EQ(keys({}).size(), 7U);
    EXPECT_EQ(keys({.prefix = "none/"}), Keys{});
}

TEST_P(StoreTest, WhatWasCommittedIsThereAfterARestart) {
    auto transaction = put("a", std::string("\x01 \"text\" \xe4\xb8\x9c\n", 13));
    transaction.audit = {line("one"), line("two")};
    const auto done = store_->commit(fence_, transaction);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->audit_last, 2U);
    reopen();
    EXPECT_EQ(value("a"), *transaction.writes[0].value);
    EXPECT_EQ(*store_->audit_last(), 2U);
}

TEST_P(StoreTest, BoundsAreKept) {
    EXPECT_EQ(store_->commit(fence_, put("", "v")).error(), Errc::invalid);
    EXPECT_EQ(store_->commit(fence_, put(std::string(513, 'k'), "v")).error(), Errc::invalid);
    EXPECT_EQ(
        store_->commit(fence_, put("a", std::string((1U << 20) + 1, 'v'))).error(), Errc::invalid
    );
    EXPECT_TRUE(store_->commit(fence_, put(std::string(512, 'k'), std::string(1U << 20, 'v'))));
    auto long_line = line("long");
    long_line.detail = std::string(4095, 'x') + "\xe4\xb8\x9c";
    ASSERT_TRUE(store_->commit(fence_, {.audit = {long_line}}));
    EXPECT_EQ(store_->audit(0, 10)->at(0).detail, std::string(4095, 'x'));
}

TEST_P(StoreTest, TheAuditIsAChain) {
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(store_->commit(fence_, {.audit = {line("a" + std::to_string(i))}}));
    const auto page = store_->audit(2, 2);
    ASSERT_TRUE(page);
    ASSERT_EQ(page->size(), 2U);
    EXPECT_EQ(page->at(0).seq, 3U);
    EXPECT_EQ(page->at(0).action, "a2");
    EXPECT_EQ(page->at(0).wall_ms, fixed_wall());
    EXPECT_EQ(page->at(1).hash, audit_hash(page->at(1), page->at(0).hash));
    const auto check = store_->verify_audit();
    ASSERT_TRUE(check);
    EXPECT_EQ(check->entries, 5U);
    EXPECT_FALSE(check->first_bad);
}

INSTANTIATE_TEST_SUITE_P(
    Sqlite,
    StoreTest,
    testing::Values(BackEnd{"sqlite", open_sqlite_in}),
    [](const testing::TestParamInfo<BackEnd>& info) { return info.param.name; }
);

}  // namespace
}  // namespace twinsite::switchover::store
