// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/periodic.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using namespace std::chrono_literals;
using wire::contract::Sample;
using wire::contract::Status;
using Samples = Periodic::Samples;

Sample named(const std::string& name) {
    Sample out;
    out.collector = name;
    return out;
}

/// Measures at once until it is told to hang; what hangs is let go at the end of the test.
class FakeCollector {
public:
    Periodic::Measure measure() {
        return [state = state_](Periodic::Time) {
            if (state->hangs) state->let_go.get_future().wait();
            ++state->measured;
            auto out = named("fake");
            out.numbers = {{"value", 7}};
            return Samples{out};
        };
    }
    void wait_for(int measured) const {
        while (state_->measured < measured) std::this_thread::yield();
    }
    void hang() { state_->hangs = true; }
    ~FakeCollector() { state_->let_go.set_value(); }

private:
    struct State {
        std::atomic<bool> hangs = false;
        std::atomic<int> measured = 0;
        std::promise<void> let_go;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST(Periodic, GivesTheNewestValuesWithTheirAge) {
    FakeCollector fake;
    const Periodic periodic({named("fake")}, [&] { return fake.measure(); });
    fake.wait_for(2);
    const auto samples = periodic.sample(std::chrono::steady_clock::now() + 3s);
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples[0].status, Status::ok);
    EXPECT_EQ(samples[0].numbers[0].second, 7);
    EXPECT_GE(samples[0].age_ms, 2'000U);
    EXPECT_LE(samples[0].age_ms, 4'500U);
}

TEST(Periodic, WhatDoesNotComeBackIsStuckAndTheOthersGoOn) {
    FakeCollector stuck;
    FakeCollector sound;
    stuck.hang();
    const Periodic hung({named("one"), named("two")}, [&] { return stuck.measure(); });
    const Periodic other({named("fake")}, [&] { return sound.measure(); });
    EXPECT_TRUE(hung.sample(std::chrono::steady_clock::now()).empty()) << "it may still come";
    sound.wait_for(2);
    EXPECT_EQ(other.sample(std::chrono::steady_clock::now()).at(0).status, Status::ok);
    const auto samples = hung.sample(std::chrono::steady_clock::now() + Periodic::kDeadline + 1s);
    ASSERT_EQ(samples.size(), 2U) << "also before anything was measured";
    EXPECT_EQ(samples[0].collector, "one");
    EXPECT_EQ(samples[0].status, Status::stuck);
    EXPECT_EQ(samples[1].status, Status::stuck);
}

TEST(Periodic, OneThatHangsLaterKeepsItsLastValues) {
    FakeCollector fake;
    const Periodic periodic({named("fake")}, [&] { return fake.measure(); });
    fake.wait_for(1);
    fake.hang();
    const auto samples =
        periodic.sample(std::chrono::steady_clock::now() + Periodic::kDeadline + 1s);
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples[0].status, Status::stuck);
}

TEST(Periodic, ItsEndDoesNotWaitForWhatHangs) {
    FakeCollector fake;
    fake.hang();
    const auto before = std::chrono::steady_clock::now();
    {
        const Periodic periodic({named("fake")}, [&] { return fake.measure(); });
    }
    EXPECT_LT(std::chrono::steady_clock::now() - before, Background::kPatience + 2s);
}

}  // namespace
}  // namespace twinsite::monitor::collect
