// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/publisher.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using SnapshotPointer = std::shared_ptr<const answer::Snapshot>;

TEST(Publisher, ReadersSeeWhatWasPublishedLast) {
    Publisher publisher(make_snapshot(1));
    Publisher::Reader reader(publisher);
    EXPECT_EQ(reader.enter().version(), 1u);
    reader.leave();
    const SnapshotPointer second = make_snapshot(2);
    publisher.publish(second);
    EXPECT_EQ(&reader.enter(), second.get());
    EXPECT_EQ(publisher.current(), second);
}

TEST(Publisher, TheSnapshotBeforeIsFreedWhenNobodyReadsIt) {
    SnapshotPointer first = make_snapshot(1);
    const std::weak_ptr<const answer::Snapshot> watch = first;
    Publisher publisher(std::move(first));
    publisher.publish(make_snapshot(2));
    EXPECT_TRUE(watch.expired());
}

TEST(Publisher, ASnapshotLivesWhileItIsRead) {
    SnapshotPointer first = make_snapshot(1);
    const std::weak_ptr<const answer::Snapshot> watch = first;
    Publisher publisher(std::move(first));
    Publisher::Reader reader(publisher);
    const answer::Snapshot& read = reader.enter();
    std::thread writer([&] { publisher.publish(make_snapshot(2)); });
    // Another reader sees the new one at once, though publish() still waits for us.
    Publisher::Reader other(publisher);
    while (other.enter().version() != 2) other.leave();
    other.leave();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(read.version(), 1u);
    reader.leave();
    writer.join();
    EXPECT_TRUE(watch.expired());
}

TEST(Publisher, PublishingTheSameAgainChangesNothing) {
    const SnapshotPointer only = make_snapshot(1);
    Publisher publisher(only);
    Publisher::Reader reader(publisher);
    reader.enter();
    publisher.publish(only);
    EXPECT_EQ(publisher.current(), only);
}

TEST(Publisher, PlacesOfReadersAreUsedAgain) {
    Publisher publisher(make_snapshot(1));
    for (std::size_t i = 0; i < 2 * Publisher::kMaxReaders; ++i)
        EXPECT_EQ(Publisher::Reader(publisher).enter().version(), 1u);
}

TEST(Publisher, ManyReadersNeverSeeAFreedOrOlderSnapshot) {
    std::vector<SnapshotPointer> snapshots;
    constexpr std::uint64_t kSnapshots = 100;
    for (std::uint64_t i = 1; i <= kSnapshots; ++i) snapshots.push_back(make_snapshot(i));
    Publisher publisher(snapshots.front());
    std::atomic<bool> failed{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            Publisher::Reader reader(publisher);
            std::uint64_t last = 0;
            while (last < kSnapshots) {
                const std::uint64_t version = reader.enter().version();
                if (version < last) failed = true;
                last = version;
                reader.leave();
            }
        });
    for (SnapshotPointer& snapshot : snapshots) publisher.publish(std::move(snapshot));
    for (std::thread& reader : readers) reader.join();
    EXPECT_FALSE(failed);
}

}  // namespace
}  // namespace twinsite::gslb::server
