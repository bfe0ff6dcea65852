// SPDX-License-Identifier: Apache-2.0
// Machines and their processes.
#include "switchover/judge/hosts.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

const Words kCharging{"east/proc1", "charging"};

/// One agent that reports each second, driven by hand.
class Machine {
public:
    Machine()
        : judge_(two_sites(), quick_rules(), at_ms(0)), host_(*judge_.find_host("east/proc1")) {}

    ProcessState charging = ProcessState::up;
    std::uint64_t restarts = 0;
    double disk = 40;
    double memory = 50;
    bool read_only = false;
    bool reports = true;
    std::optional<bool> outside;

    void run(Duration duration) {
        for (const auto end = now_ + duration; now_ < end;) {
            now_ += 1s;
            const std::array processes{ProcessReading{"charging", charging, restarts}};
            HostReading reading;
            reading.measured = now_;
            reading.interval = 1s;
            reading.disk_used_percent = disk;
            reading.disk_read_only = read_only;
            reading.memory_used_percent = memory;
            reading.processes = processes;
            if (reports) judge_.observe_report(host_, reading);
            if (outside)
                judge_.observe_probe(
                    {"mon-west", "p", "process:east/proc1:charging", "", *outside, now_, 1s}
                );
            judge_.evaluate(now_);
        }
    }
    Judge& judge() { return judge_; }
    Time now() const { return now_; }
    const HostVerdict& host() const { return judge_.verdicts().hosts[host_]; }
    const ProcessVerdict& process() const { return judge_.verdicts().processes.at(0); }
    Truth is(std::string_view name, const Words& arguments) const {
        return judge_.fact(name, arguments).value().truth;
    }

private:
    Judge judge_;
    std::size_t host_;
    Time now_ = at_ms(0);
};

TEST(Process, AClaimedIntervalCountsOnlyUpToTheRule) {
    auto rules = quick_rules();
    rules.longest_interval = 3s;
    Judge judge(two_sites(), rules, at_ms(0));
    const auto host = *judge.find_host("east/if1");
    HostReading reading;
    reading.measured = at_ms(1'000);
    reading.interval = 10min;
    judge.observe_report(host, reading);
    judge.evaluate(at_ms(1'000) + 3s * rules.stale_intervals);
    EXPECT_FALSE(judge.verdicts().hosts[host].flags.stale);
    judge.evaluate(at_ms(1'001) + 3s * rules.stale_intervals);
    EXPECT_TRUE(judge.verdicts().hosts[host].flags.stale);
}

TEST(Process, UpIsOkAtOnce) {
    Machine machine;
    machine.run(1s);
    EXPECT_EQ(machine.process().state, State::ok);
    EXPECT_EQ(machine.is("process.ok", kCharging), Truth::yes);
    EXPECT_EQ(machine.is("process.down", kCharging), Truth::no);
}

// M-T11: what the agent found out about identity, zombies and D state arrives as these words.
TEST(Process, DownAndStuckFailAfterThreeSamplesAndTheTime) {
    for (const auto bad : {ProcessState::down, ProcessState::stuck}) {
        Machine machine;
        machine.run(10s);
        machine.charging = bad;
        machine.run(3s);
        EXPECT_EQ(machine.process().state, State::suspect);
        EXPECT_EQ(machine.process().down, Truth::no);
        machine.run(1s);  // the first bad sample is 3 s old
        EXPECT_EQ(machine.process().state, State::failed);
        EXPECT_EQ(machine.is("process.down", kCharging), Truth::yes);
    }
}

TEST(Process, ABlipIsNotDown) {
    Machine machine;
    machine.run(10s);
    for (int i = 0; i < 4; ++i) {
        machine.charging = ProcessState::down;
        machine.run(2s);
        EXPECT_EQ(machine.process().state, State::suspect);
        machine.charging = ProcessState::up;
        machine.run(5s);
        EXPECT_EQ(machine.process().state, State::ok);
    }
}

TEST(Process, UnknownIsNotDown) {
    Machine machine;
    machine.run(10s);
    machine.charging = ProcessState::unknown;  // the agent may not look
    machine.run(60s);
    EXPECT_EQ(machine.process().state, State::unknown);
    EXPECT_EQ(machine.is("process.down", kCharging), Truth::unknown);
}

TEST(Process, OfASilentMachineNothingIsKnown) {
    Machine machine;
    machine.run(10s);
    machine.reports = false;
    machine.run(60s);
    EXPECT_EQ(machine.host().state, State::unknown);
    EXPECT_TRUE(machine.host().flags.stale);
    EXPECT_EQ(machine.process().state, State::unknown);
    EXPECT_EQ(machine.is("process.down", kCharging), Truth::unknown);
    EXPECT_EQ(machine.is("host.stale", {"east/proc1"}), Truth::yes);
}

TEST(Process, TheWorseOfItsAgentAndTheProbeCounts) {
    Machine machine;
    machine.outside = true;
    machine.run(10s);
    machine.outside = false;  // "up" by its agent, and yet it does not answer
    machine.run(2s);
    EXPECT_EQ(machine.process().state, State::suspect);
    machine.run(3s);
    EXPECT_EQ(machine.process().state, State::failed);
    machine.outside = true;
    machine.charging = ProcessState::down;
    machine.run(10s);
    EXPECT_EQ(machine.process().state, State::failed);
}

TEST(Process, OneBadProbeIsNothing) {
    Machine machine;
    machine.outside = true;
    machine.run(10s);
    machine.outside = false;
    machine.run(1s);
    EXPECT_EQ(machine.process().state, State::ok);
    machine.outside = true;
    machine.run(1s);
    EXPECT_EQ(machine.process().state, State::ok);
}

TEST(Process, AnActionBeginsItsCounterAnew) {
    Machine machine;
    machine.run(10s);
    machine.charging = ProcessState::down;
    machine.run(10s);
    ASSERT_EQ(machine.process().down, Truth::yes);
    machine.judge().acted("process:east/proc1:charging", machine.now());
    machine.run(3s);
    EXPECT_NE(machine.process().down, Truth::yes);
    EXPECT_EQ(machine.process().state, State::failed);
    machine.run(1s);
    EXPECT_EQ(machine.process().down, Truth::yes);
    machine.judge().acted("process:east/proc1:charging", machine.now());
    machine.charging = ProcessState::up;
    machine.run(1s);
    EXPECT_EQ(machine.process().state, State::recovering);
    machine.run(2s);
    EXPECT_EQ(machine.process().state, State::ok);
}

TEST(Process, RestartsBetweenTwoReportsAreSeen) {
    Machine machine;
    machine.restarts = 7;
    machine.run(10s);
    EXPECT_EQ(machine.process().restarts, 0U);
    ++machine.restarts;
    machine.run(1s);
    EXPECT_EQ(machine.process().restarts, 1U);
    EXPECT_EQ(machine.process().state, State::ok);
    for (int i = 0; i < 8; ++i) {
        ++machine.restarts;
        machine.run(1s);
    }
    EXPECT_TRUE(machine.process().flags.flapping);
    machine.restarts = 0;  // the agent itself is new
    machine.run(1s);
    EXPECT_EQ(machine.process().restarts, 9U);
}

TEST(Process, AllOfAModuleAndItsSisters) {
    auto plan = two_sites();
    plan.agents.push_back({"east", "proc2", "processing"});
    World world(plan);
    world.run(10s);
    const Words module{"east", "charging"};
    const Words first{"east/proc1", "charging"};
    EXPECT_EQ(world.is("process.ok", module), Truth::yes);
    EXPECT_EQ(world.is("process.sister_ok", first), Truth::yes);
    world.charging["east/proc1"] = ProcessState::down;
    world.run(10s);
    EXPECT_EQ(world.is("process.down", first), Truth::yes);
    EXPECT_EQ(world.is("process.down", module), Truth::no);
    EXPECT_EQ(world.is("process.sister_ok", first), Truth::yes);
    world.charging["east/proc2"] = ProcessState::down;
    world.run(10s);
    EXPECT_EQ(world.is("process.down", module), Truth::yes);
    EXPECT_EQ(world.is("process.sister_ok", first), Truth::no);  // it would be the last
    EXPECT_EQ(world.is("process.down", Words{"west", "charging"}), Truth::no);
}

TEST(Host, AFullOrReadOnlyDiskFails) {
    for (const bool read_only : {false, true}) {
        Machine machine;
        machine.run(10s);
        if (read_only)
            machine.read_only = true;
        else
            machine.disk = 99;
        machine.run(2s);
        EXPECT_EQ(machine.host().state, State::suspect);
        machine.run(3s);
        EXPECT_EQ(machine.host().state, State::failed);
        EXPECT_TRUE(machine.host().disk_bad);
        machine.read_only = false;
        machine.disk = 96;  // between leave and enter
        machine.run(10s);
        EXPECT_EQ(machine.host().state, State::failed);
        machine.disk = 90;
        machine.run(10s);
        EXPECT_EQ(machine.host().state, State::ok);
    }
}

TEST(Host, FullMemoryOnlyWarns) {
    Machine machine;
    machine.memory = 99;
    machine.run(30s);
    EXPECT_TRUE(machine.host().memory_bad);
    EXPECT_EQ(machine.host().state, State::ok);
}

TEST(Host, NeverHeardIsSilentOnlyAfterTheFirstReportIsDue) {
    Machine machine;
    machine.reports = false;
    machine.run(4s);
    EXPECT_FALSE(machine.host().flags.stale);
    machine.run(1s);
    EXPECT_TRUE(machine.host().flags.stale);
    EXPECT_FALSE(machine.host().heard);
}

TEST(Host, OldReportsAndLiesAboutAgeChangeNothing) {
    Machine machine;
    machine.run(10s);
    const std::array processes{ProcessReading{"charging", ProcessState::down, 0}};
    HostReading old;
    old.measured = machine.now() - 5s;
    old.interval = 1s;
    old.processes = processes;
    machine.judge().observe_report(*machine.judge().find_host("east/proc1"), old);
    machine.judge().evaluate(machine.now());
    EXPECT_EQ(machine.process().state, State::ok);
    EXPECT_EQ(machine.host().measured, machine.now());
}

TEST(Host, AnAbsurdIntervalIsBounded) {
    Machine machine;
    HostReading reading;
    reading.measured = machine.now() + 1s;
    reading.interval = Duration::max();
    machine.judge().observe_report(*machine.judge().find_host("east/proc1"), reading);
    machine.judge().evaluate(machine.now() + 1s + 1800s);
    EXPECT_FALSE(machine.host().flags.stale);
    machine.judge().evaluate(machine.now() + 1s + 1800s + 1ms);
    EXPECT_TRUE(machine.host().flags.stale);
}

TEST(Host, ProcessesOfOneReportAreBounded) {
    Machine machine;
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("p" + std::to_string(i));
    names.push_back(std::string(5000, 'x'));
    std::vector<ProcessReading> processes;
    for (const auto& name : names) processes.push_back({name, ProcessState::up, 0});
    HostReading reading;
    reading.measured = machine.now() + 1s;
    reading.interval = 1s;
    reading.processes = processes;
    machine.judge().observe_report(*machine.judge().find_host("east/proc1"), reading);
    EXPECT_EQ(machine.judge().evaluate(machine.now() + 1s).processes.size(), 256U);
}

}  // namespace
}  // namespace twinsite::switchover::judge
