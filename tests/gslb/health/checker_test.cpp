// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/checker.hpp"

#include <deque>
#include <map>
#include <new>
#include <stdexcept>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/async/deadline.hpp"
#include "gslb/health/verdict_file.hpp"
#include "probe/probe.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// What a fake service answers, one letter a run: '+', '-', '!' (the probe throws), '0' (no
/// descriptors here), 'm' (no memory here). When the letters are used up, a run hangs until it is
/// cancelled.
struct Service {
    std::deque<char> script;
    int probes = 0;   ///< Made and still there.
    int runs = 0;     ///< Begun.
    int hanging = 0;  ///< In the middle of a run that will not end by itself.
};

class FakeProbe final : public probe::Probe {
public:
    explicit FakeProbe(Service& service) : service_(service) { ++service_.probes; }
    ~FakeProbe() override { --service_.probes; }

    asio::awaitable<probe::Outcome> run(std::chrono::milliseconds) override {
        ++service_.runs;
        if (service_.script.empty()) {
            ++service_.hanging;
            co_await base::async::sleep_for(1h);
            --service_.hanging;
            co_return probe::Outcome();
        }
        const char next = service_.script.front();
        service_.script.pop_front();
        if (next == '!') throw std::runtime_error("broken");
        if (next == 'm') throw std::bad_alloc();
        probe::Outcome out;
        out.ok = next == '+';
        if (!out.ok) out.error = "fake failure";
        out.local_fault = next == '0';
        co_return out;
    }

private:
    Service& service_;
};

class CheckerTest : public testing::Test {
protected:
    /// A check of service number `port`.
    static Check check(std::uint16_t port) {
        Check out;
        out.question.target = {base::text::IpAddress::from_v4(0x7F000001), port};
        out.interval = 1ms;
        out.timeout = 1ms;
        out.thresholds = {.up = 2, .ok = 2, .down = 2};
        return out;
    }
    static Watch watch(const std::string& id, const std::vector<Check>& checks) {
        Watch out;
        out.id = id;
        for (const auto& one : checks)
            out.items.push_back({"check-" + std::to_string(one.question.target.port), one});
        return out;
    }
    void make(Checker::Settings settings = {}) {
        settings.seed = 42;
        checker.emplace(
            io,
            settings,
            [this] { ++changes; },
            [this](const Question& question) {
                return std::make_unique<FakeProbe>(services[question.target.port]);
            }
        );
    }
    void script(std::uint16_t port, const std::string& letters) {
        auto& to = services[port].script;
        to.insert(to.end(), letters.begin(), letters.end());
    }
    /// Runs the loop until `done`; fails after 10 s.
    template <class Condition>
    void run_until(Condition done) {
        const auto limit = std::chrono::steady_clock::now() + 10s;
        io.restart();
        while (!done() && std::chrono::steady_clock::now() < limit) io.run_one_for(100ms);
        ASSERT_TRUE(done());
    }
    void run_until_scripts_end() {
        run_until([this] {
            for (const auto& [port, service] : services)
                if (service.probes > 0 && service.hanging == 0) return false;
            return true;
        });
    }
    State state(const std::string& id) const { return checker->health(id).state; }

    tests::TemporaryFolder folder_;
    std::map<std::uint16_t, Service> services;
    int changes = 0;
    asio::io_context io{1};
    std::optional<Checker> checker;
};

TEST_F(CheckerTest, IsUnknownBeforeAndKnowsAfterTheFirstRound) {
    make();
    script(1, "+");
    script(2, "-");
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)}), watch("c", {})});
    EXPECT_EQ(state("a"), State::unknown);
    EXPECT_EQ(state("c"), State::up) << "nothing to check";
    EXPECT_EQ(state("absent"), State::unknown);
    run_until_scripts_end();
    EXPECT_EQ(state("a"), State::up);
    EXPECT_EQ(state("b"), State::down);
    const auto views = checker->checks("b");
    ASSERT_EQ(views.size(), 1u);
    EXPECT_EQ(views[0].name, "check-2");
    EXPECT_EQ(views[0].target, check(2).question.target);
    EXPECT_EQ(views[0].last_error, "fake failure");
    EXPECT_EQ(views[0].failures, 1u);
    EXPECT_TRUE(views[0].age.has_value());
}

TEST_F(CheckerTest, FollowsTheThresholds) {
    make();
    script(1, "+-+-");
    checker->apply({watch("a", {check(1)})});
    run_until_scripts_end();
    EXPECT_EQ(state("a"), State::down);
    const auto views = checker->checks("a");
    EXPECT_EQ(views[0].successes, 2u);
    EXPECT_EQ(views[0].failures, 2u);
}

TEST_F(CheckerTest, TellsThatTheNextResultMayChangeTheState) {
    make();
    script(1, "+-");
    checker->apply({watch("a", {check(1)})});
    run_until_scripts_end();
    EXPECT_EQ(checker->health("a"), (Health{State::up, true, false}));
}

TEST_F(CheckerTest, AllChecksOfATargetMustBeUp) {
    make();
    script(1, "+");
    script(2, "-");
    checker->apply({watch("both", {check(1), check(2)}), watch("one", {check(1)})});
    run_until_scripts_end();
    EXPECT_EQ(state("both"), State::down);
    EXPECT_EQ(state("one"), State::up);
}

TEST_F(CheckerTest, TargetsThatNameTheSameCheckShareOneRun) {
    make();
    script(1, "+");
    checker->apply({watch("a", {check(1)}), watch("b", {check(1)}), watch("c", {check(1)})});
    EXPECT_EQ(checker->running(), 1u);
    run_until_scripts_end();
    EXPECT_EQ(services[1].probes, 1);
    EXPECT_EQ(services[1].runs, 2);
    EXPECT_EQ(state("c"), State::up);
}

TEST_F(CheckerTest, AProbeThatThrowsIsAFailureAndDoesNotEndTheCheck) {
    make();
    script(1, "!+++");
    checker->apply({watch("a", {check(1)})});
    run_until_scripts_end();
    EXPECT_EQ(checker->checks("a")[0].failures, 1u);
    EXPECT_EQ(state("a"), State::up);
}

TEST_F(CheckerTest, AProbeThatCouldNotAskForWantOfDescriptorsOrMemoryKeepsTheState) {
    make();
    script(1, "++0m0m0");
    script(2, "--0m0m0");
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)})});
    run_until_scripts_end();
    EXPECT_EQ(state("a"), State::up);
    EXPECT_EQ(state("b"), State::down);
    const auto views = checker->checks("a");
    ASSERT_EQ(views.size(), 1u);
    EXPECT_EQ(views[0].successes, 2u);
    EXPECT_EQ(views[0].failures, 0u);
    EXPECT_EQ(views[0].last_error, "");
}

TEST_F(CheckerTest, AFirstRoundThatCannotAskEndsAtItsLimitWithNothingKnown) {
    make();
    script(1, "00");
    checker->apply({watch("a", {check(1)})});
    std::optional<bool> complete;
    checker->when_first_round_done(50ms, [&](bool all) { complete = all; });
    run_until([&] { return complete.has_value(); });
    EXPECT_EQ(complete, false);
    EXPECT_EQ(state("a"), State::unknown);
}

TEST_F(CheckerTest, ReloadKeepsWhatIsUnchangedStopsWhatIsGoneAndStartsWhatIsNew) {
    make();
    script(1, "-");
    script(2, "-");
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)})});
    run_until_scripts_end();
    script(3, "+");
    const int runs_before = services[1].runs;
    checker->apply({watch("renamed", {check(1)}), watch("c", {check(3)})});
    EXPECT_EQ(state("renamed"), State::down) << "the check's state, whatever the target's name";
    EXPECT_EQ(state("b"), State::unknown);
    EXPECT_EQ(checker->running(), 2u);
    run_until([this] { return services[2].probes == 0; });
    EXPECT_EQ(services[2].hanging, 0) << "cancelled in the middle of its run";
    run_until_scripts_end();
    EXPECT_EQ(services[1].runs, runs_before) << "the unchanged check was not disturbed";
    EXPECT_EQ(state("c"), State::up);
}

TEST_F(CheckerTest, ACheckWithOtherThresholdsStartsFromTheStateOfTheOldOne) {
    make();
    script(1, "-");
    checker->apply({watch("a", {check(1)})});
    run_until_scripts_end();
    auto slower = check(1);
    slower.thresholds.up = 3;
    script(1, "++");
    checker->apply({watch("a", {slower})});
    EXPECT_EQ(state("a"), State::down);
    run_until([this] { return services[1].probes == 1 && services[1].script.empty(); });
    run_until_scripts_end();
    EXPECT_EQ(checker->health("a"), (Health{State::down, true, false})) << "two of three";
}

TEST_F(CheckerTest, ChangesCloseTogetherAreReportedOnce) {
    Checker::Settings settings;
    settings.coalesce = 20ms;
    make(settings);
    std::vector<Watch> watches;
    for (std::uint16_t port = 1; port <= 50; ++port) {
        script(port, "+");
        watches.push_back(watch(std::to_string(port), {check(port)}));
    }
    checker->apply(watches);
    EXPECT_EQ(changes, 0);
    const auto before = std::chrono::steady_clock::now();
    run_until([this] { return changes > 0; });
    EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
    EXPECT_EQ(changes, 1);
    for (std::uint16_t port = 1; port <= 50; ++port)
        EXPECT_EQ(state(std::to_string(port)), State::up) << "all of them are in it";
}

TEST_F(CheckerTest, ResultsThatChangeNothingAreNotReported) {
    Checker::Settings settings;
    settings.coalesce = 0ms;
    make(settings);
    script(1, "+");
    checker->apply({watch("a", {check(1)})});
    run_until([this] { return changes == 1; });
    auto again = check(1);
    again.interval = 2ms;  // a new run of the same question, with more to say
    script(1, "+++++");
    checker->apply({watch("a", {again})});
    run_until([this] { return services[1].script.empty(); });
    run_until_scripts_end();
    EXPECT_EQ(changes, 1);
}

TEST_F(CheckerTest, TheFirstRoundIsDoneWhenEveryCheckHasAResult) {
    make();
    script(1, "+");
    script(2, "-");
    std::optional<bool> complete;
    checker->apply({watch("a", {check(1), check(2)})});
    checker->when_first_round_done(10s, [&](bool all) { complete = all; });
    EXPECT_FALSE(complete.has_value());
    run_until([&] { return complete.has_value(); });
    EXPECT_TRUE(*complete);
    EXPECT_EQ(state("a"), State::down);
}

TEST_F(CheckerTest, TheFirstRoundIsNotWaitedForLongerThanTheLimit) {
    make();
    script(1, "+");
    std::optional<bool> complete;
    checker->apply({watch("a", {check(1)}), watch("silent", {check(2)})});
    checker->when_first_round_done(30ms, [&](bool all) { complete = all; });
    run_until([&] { return complete.has_value(); });
    EXPECT_FALSE(*complete);
    EXPECT_EQ(state("silent"), State::unknown);
}

TEST_F(CheckerTest, WithoutChecksTheFirstRoundIsDoneAtOnceButNotFromWithin) {
    make();
    checker->apply({watch("a", {})});
    int calls = 0;
    checker->when_first_round_done(10s, [&](bool all) { calls += all; });
    EXPECT_EQ(calls, 0);
    run_until([&] { return calls == 1; });
}

TEST_F(CheckerTest, ARestartGoesOnFromTheVerdictsOnDisk) {
    Checker::Settings settings;
    settings.verdict_file = folder_.file("verdicts.json");
    make(settings);
    script(1, "-");
    script(2, "+");
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)})});
    run_until_scripts_end();
    checker.reset();
    run_until([this] { return services[1].probes + services[2].probes == 0; });

    make(settings);
    script(1, "+");
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)}), watch("new", {check(3)})});
    EXPECT_EQ(checker->health("a"), (Health{State::down, false, true})) << "not all up";
    EXPECT_EQ(checker->health("b"), (Health{State::up, false, true}));
    EXPECT_EQ(state("new"), State::unknown);
    EXPECT_TRUE(checker->checks("a")[0].restored);
    EXPECT_TRUE(checker->checks("a")[0].age.has_value());
    run_until([this] { return services[1].script.empty(); });
    run_until_scripts_end();
    EXPECT_EQ(checker->health("a"), (Health{State::down, true, false})) << "one of two successes";
}

TEST_F(CheckerTest, VerdictsAreOnDiskSoonAfterAChangeNotOnlyAtTheEnd) {
    Checker::Settings settings;
    settings.verdict_file = folder_.file("verdicts.json");
    make(settings);
    script(1, "-");
    checker->apply({watch("a", {check(1)})});
    run_until([this] { return changes == 1; });
    const auto saved = read_verdicts(settings.verdict_file, std::chrono::system_clock::now());
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->at(to_string(check(1).question)).state, State::down);
}

TEST_F(CheckerTest, TheFileIsRefreshedSoThatAgesStayRight) {
    Checker::Settings settings;
    settings.verdict_file = folder_.file("verdicts.json");
    settings.save_every = 5ms;
    settings.coalesce = 0ms;
    make(settings);
    script(1, "+");
    checker->apply({watch("a", {check(1)})});
    run_until([this] { return changes == 1; });
    const auto question = to_string(check(1).question);
    run_until([&] {
        const auto saved = read_verdicts(settings.verdict_file, std::chrono::system_clock::now());
        return saved && saved->contains(question) && saved->at(question).age >= 20ms;
    });
}

TEST_F(CheckerTest, ABrokenVerdictFileIsNoReasonToStop) {
    Checker::Settings settings;
    settings.verdict_file = folder_.path();  // a folder: neither readable nor writable as a file
    make(settings);
    script(1, "+");
    checker->apply({watch("a", {check(1)})});
    EXPECT_EQ(state("a"), State::unknown);
    run_until_scripts_end();
    EXPECT_EQ(state("a"), State::up);
}

TEST_F(CheckerTest, NothingIsCalledBackAfterStop) {
    make();
    script(1, "+");
    bool called = false;
    checker->apply({watch("a", {check(1)}), watch("b", {check(2)})});
    checker->when_first_round_done(1h, [&](bool) { called = true; });
    run_until([this] { return services[2].hanging == 1 && services[1].hanging == 1; });
    const int before = changes;
    checker->stop();
    checker->stop();
    run_until([this] { return services[1].probes + services[2].probes == 2; });
    io.restart();
    io.run_for(30ms);
    EXPECT_EQ(services[1].hanging + services[2].hanging, 0) << "the runs were cancelled";
    EXPECT_FALSE(called);
    EXPECT_EQ(changes, before);
}

TEST_F(CheckerTest, MayBeDestroyedWithChecksRunningAndTheLoopNeverRunAgain) {
    make();
    checker->apply({watch("a", {check(1)})});
    run_until([this] { return services[1].hanging == 1; });
    checker.reset();
}

}  // namespace
}  // namespace twinsite::gslb::health
