// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/intent_store.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/crypto/digest.hpp"

namespace twinsite::gslb::group {
namespace {

namespace fs = std::filesystem;
using wire::group::IntentHeader;

class IntentStoreTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("intent_store_test." + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    IntentHeader stage(const std::string& text) {
        auto header = std::get<IntentHeader>(book_.next("east", false));
        const auto content = pack({{"intent.yaml", text}});
        header.content = base::crypto::sha256_hex(content);
        header.bytes = content.size();
        header.certificate = "PEM";
        header.signature = "c2ln";
        EXPECT_TRUE(store().stage(header, content));
        return header;
    }
    IntentHeader publish(const std::string& text) {
        const auto header = stage(text);
        book_.adopt(header);
        EXPECT_TRUE(store().commit(book_));
        return header;
    }
    IntentStore store() const { return IntentStore(folder_); }
    std::string text_in_force() const {
        const auto book = store().read_book();
        if (!book) return book.error().message();
        const auto good = store().find_good(*book);
        if (!good) return "none";
        std::ifstream in(good->folder + "/intent.yaml");
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path folder_;
    IntentBook book_;
};

TEST_F(IntentStoreTest, WhatWasCommittedIsFoundAgain) {
    EXPECT_EQ(text_in_force(), "none");
    const auto first = publish("one");
    publish("two");
    EXPECT_EQ(text_in_force(), "two");
    EXPECT_EQ(*store().content(version_of(first)), pack({{"intent.yaml", "one"}}));
    EXPECT_EQ(*store().header(version_of(first)), first);
}

TEST_F(IntentStoreTest, WhatWasOnlyStagedIsNotInForce) {
    publish("one");
    stage("two");
    EXPECT_EQ(text_in_force(), "one");
    store().prune(book_, 10);
    EXPECT_EQ(text_in_force(), "one");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "the book and one version";
}

TEST_F(IntentStoreTest, ADamagedVersionGivesWayToTheOneBefore) {
    publish("one");
    const auto second = publish("two");
    for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path().filename().string().starts_with("1-2-"))
            std::ofstream(entry.path() / "content") << "something else";
    EXPECT_EQ(text_in_force(), "one");
    EXPECT_EQ(store().content(version_of(second)).error(), Errc::wrong_content);
}

TEST_F(IntentStoreTest, AFileThatWasChangedByHandIsMended) {
    publish("one");
    const auto good = store().find_good(book_);
    std::ofstream(good->folder + "/intent.yaml") << "by hand";
    EXPECT_EQ(text_in_force(), "one");
}

TEST_F(IntentStoreTest, ContentThatIsNotWhatTheHeaderSaysIsNotStaged) {
    auto header = stage("one");
    EXPECT_EQ(store().stage(header, pack({{"intent.yaml", "x"}})).error(), Errc::wrong_content);
}

TEST_F(IntentStoreTest, OnlyTheNewestAreKept) {
    const auto first = publish("one");
    publish("two");
    const auto third = publish("three");
    store().prune(book_, 2);
    EXPECT_FALSE(store().has(version_of(first)));
    EXPECT_TRUE(store().has(version_of(third)));
    EXPECT_EQ(text_in_force(), "three");
}

TEST_F(IntentStoreTest, ADraftIsNotSweptAwayUnderWhoLooksAtIt) {
    publish("one");
    const auto draft = store().stage_draft({{"intent.yaml", "d"}});
    ASSERT_TRUE(draft);
    store().prune(book_, 1);
    EXPECT_TRUE(fs::exists(*draft + "/intent.yaml"));
    EXPECT_EQ(text_in_force(), "one");
}

TEST_F(IntentStoreTest, ABookThatCannotBeReadIsAnError) {
    std::ofstream(folder_ / "intent.json") << "{\"version\":1";
    EXPECT_EQ(store().read_book().error(), Errc::bad_book);
}

}  // namespace
}  // namespace twinsite::gslb::group
