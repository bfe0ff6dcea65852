// SPDX-License-Identifier: Apache-2.0
// The real collectors on this machine, and their configuration.
#include "monitor/collect/collectors.hpp"

#include <chrono>
#include <map>
#include <thread>

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using base::config::Document;
using wire::contract::Sample;
using wire::contract::Status;

std::vector<std::string> findings(const std::string& yaml, CollectConfig& out) {
    auto document = Document::parse(yaml, "m.yaml");
    out = parse_collect(document.root());
    std::vector<std::string> texts;
    for (const auto& finding : document.findings()) texts.push_back(to_string(finding));
    return texts;
}

TEST(CollectConfig, ReadsDisksAndProcesses) {
    CollectConfig out;
    const auto found = findings(
        "disks: {include: [/, /var], exclude: [/boot]}\n"
        "processes:\n"
        "  - {name: ocs, match: {exe: /usr/sbin/ocs}, min: 2, max: 4, stuck_after: 30s}\n"
        "  - {name: db, match: {cmdline: 'postgres: .*'}}\n",
        out
    );
    EXPECT_TRUE(found.empty()) << found[0];
    EXPECT_EQ(out.include_disks, (std::vector<std::string>{"/", "/var"}));
    ASSERT_EQ(out.processes.size(), 2U);
    EXPECT_EQ(out.processes[0].exe, "/usr/sbin/ocs");
    EXPECT_EQ(out.processes[0].min, 2U);
    EXPECT_EQ(out.processes[0].stuck_after, std::chrono::seconds(30));
    EXPECT_EQ(out.processes[1].cmdline, "postgres: .*");
}

TEST(CollectConfig, NamesWhatIsWrongAndWhere) {
    const std::map<std::string, std::string> cases = {
        {"processes: [{name: a, match: {}}]", "m.yaml:1:30: $.processes[0].match: must have exactly"
        },
        {"processes: [{name: a, match: {exe: ocs}}]", "exe must be an absolute path"},
        {"processes: [{name: a, match: {cmdline: '('}}]", "not an extended regular expression"},
        {"processes: [{name: a, match: {exe: /a, pidfile: /b}}]", "exactly one"},
        {"processes: [{name: a, match: {exe: /a}}, {name: a, match: {exe: /b}}]",
         "this name already"},
        {"processes: [{name: a, match: {exe: /a}, min: 3, max: 2}]", "max must not be less"},
        {"disks: {include: [var]}", "absolute path of a mount point"},
        {"disk: {}", "unknown key 'disk'"},
    };
    for (const auto& [yaml, text] : cases) {
        CollectConfig out;
        const auto found = findings(yaml, out);
        ASSERT_FALSE(found.empty()) << yaml;
        EXPECT_NE(found[0].find(text), std::string::npos) << found[0];
    }
}

const Sample* find(const std::vector<Sample>& samples, const std::string& collector) {
    for (const auto& sample : samples)
        if (sample.collector == collector) return &sample;
    return nullptr;
}

double number(const Sample& sample, const std::string& name) {
    for (const auto& [key, value] : sample.numbers)
        if (key == name) return value;
    ADD_FAILURE() << sample.collector << " has no " << name;
    return -1;
}

TEST(Collectors, GiveTheNumbersOfThisMachine) {
    CollectConfig config;
    ProcessConfig self;
    self.name = "self";
    self.cmdline = ".*monitor_collect_test.*";
    self.max = 100;
    config.processes = {self};
    Collectors collectors(config);
    // The second reading of the processor comes a second after the first.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::vector<Sample> samples;
    const Sample* cpu = nullptr;
    while (std::chrono::steady_clock::now() < limit) {
        samples = collectors.sample();
        cpu = find(samples, "cpu");
        if (cpu != nullptr && cpu->status == Status::ok) break;
        std::this_thread::yield();
    }
    ASSERT_NE(cpu, nullptr);
    ASSERT_EQ(cpu->status, Status::ok) << cpu->detail;
    EXPECT_GE(number(*cpu, "idle"), 0);
    EXPECT_LE(number(*cpu, "idle"), 100);
    EXPECT_EQ(number(*cpu, "cpus"), std::thread::hardware_concurrency());
    const auto* memory = find(samples, "memory");
    ASSERT_NE(memory, nullptr);
    EXPECT_GT(number(*memory, "max_bytes"), 0);
    EXPECT_GT(number(*memory, "used_percent"), 0);
    const auto* process = find(samples, "process");
    ASSERT_NE(process, nullptr);
    EXPECT_GE(number(*process, "count"), 1);
    EXPECT_EQ(process->texts[0].second, "up");
}

}  // namespace
}  // namespace twinsite::monitor::collect
