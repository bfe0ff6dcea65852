// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/snapshot_builder.hpp"

#include <gtest/gtest.h>

#include "base/text/ip.hpp"
#include "tests/gslb/answer/server_fixture.hpp"

namespace twinsite::gslb::answer {
namespace {

using base::text::Family;
using steering::Health;

TEST(SnapshotBuilder, HealthFlipDecidesOnlyTheServiceItTouches) {
    ServerFixture server;
    const auto before = server.snapshot;
    server.set_health(0, {Health::down, Health::up});
    const auto after = server.snapshot;
    EXPECT_EQ(&before->index(), &after->index());
    EXPECT_EQ(&before->prefixes(), &after->prefixes());
    EXPECT_EQ(&before->variants(1, Family::v4), &after->variants(1, Family::v4)) << "the pool";
    EXPECT_NE(&before->variants(0, Family::v4), &after->variants(0, Family::v4));
    EXPECT_EQ(after->version(), before->version() + 1);
    server.publish();
    EXPECT_EQ(server.builder->decided(), 0u);
    EXPECT_EQ(&server.snapshot->variants(0, Family::v4), &after->variants(0, Family::v4));
}

TEST(SnapshotBuilder, PoliciesThatDifferOnlyInTheirOwnerShareTheirAnswers) {
    ServerFixture server;  // 0 is www, 2 is *.any, 3 is closed, 4 is the apex
    const Snapshot& snapshot = *server.snapshot;
    EXPECT_EQ(&snapshot.variants(0, Family::v4), &snapshot.variants(2, Family::v4));
    EXPECT_NE(&snapshot.variants(0, Family::v4), &snapshot.variants(3, Family::v4));
    EXPECT_NE(&snapshot.variants(0, Family::v4), &snapshot.variants(4, Family::v4));
}

TEST(SnapshotBuilder, OldSnapshotOutlivesTheBuilder) {
    ServerFixture server;
    const auto old = server.snapshot;
    server.set_health(0, {Health::down, Health::up});
    server.builder.reset();
    server.snapshot = old;
    EXPECT_EQ(server.ask(with_subnet("10.1.9.0/24")).scope, 21);
}

TEST(SnapshotBuilder, StatesStartUnknown) {
    ServerFixture server;
    const auto states = server.builder->initial_states();
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[1].size(), 3u);
    EXPECT_EQ(states[0][0].health, Health::unknown);
}

TEST(SteeredNames, OwnersBecomeNamesOrProblems) {
    steering::Steering steering;
    steering.policies.resize(2);
    steering.policies[0].owner = "a.example";
    steering.policies[1].owner = "a..example";
    std::vector<std::string> problems;
    EXPECT_EQ(steered_names(steering, problems).size(), 1u);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0], "steered name 'a..example': the name has an empty label");
}

}  // namespace
}  // namespace twinsite::gslb::answer
