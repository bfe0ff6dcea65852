// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/metrics.hpp"

#include <gtest/gtest.h>

#include "base/metrics/openmetrics.hpp"
#include "switchover/fleet/commands.hpp"
#include "switchover/fleet/fleet.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

TEST(FleetMetrics, ShowHostsThatReportAndEachInstanceOnce) {
    const Roster roster{{{"east", "if1", "interface"}, {"west", "if1", "interface"}}, {}};
    Fleet fleet(roster, {});
    const Commands commands(roster, {}, {});
    wire::contract::Report report;
    report.site = "east";
    report.name = "if1";
    report.seq = 1;
    wire::contract::Sample cpu;
    cpu.collector = "cpu";
    cpu.numbers = {{"idle", 50}};
    wire::contract::Sample disk;
    disk.collector = "disk";
    disk.instance = "/va\"r\n";
    disk.numbers = {{"used_percent", 25}};
    report.samples = {cpu, disk, disk};
    const Time now = Time() + std::chrono::hours(1);
    fleet.take_report({"east", "agent", "if1"}, report, {now, 0});
    base::metrics::Writer out;
    write_metrics(out, fleet, commands, now + std::chrono::milliseconds(1'500));
    const auto text = out.finish();
    const auto has = [&text](const std::string& line) {
        return text.find(line + "\n") != std::string::npos;
    };
    EXPECT_TRUE(has("twinsite_switchover_reports_total{outcome=\"live\"} 1")) << text;
    EXPECT_TRUE(has("twinsite_switchover_agent_report_age_seconds{host=\"east/if1\"} 1.5")) << text;
    EXPECT_TRUE(
        has("twinsite_switchover_host_cpu_idle_ratio{host=\"east/if1\",kind=\"instant\"} 0.5")
    ) << text;
    const std::string used =
        "twinsite_switchover_host_disk_used_ratio{host=\"east/if1\",mount=\"/va\\\"r\\n\"} 0.25";
    EXPECT_TRUE(has(used)) << text;
    EXPECT_EQ(text.find(used, text.find(used) + 1), std::string::npos) << "only once";
    EXPECT_EQ(text.find("west/if1"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::switchover::fleet
