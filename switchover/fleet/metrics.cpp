// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/metrics.hpp"

#include <array>
#include <set>
#include <string_view>

#include "base/metrics/openmetrics.hpp"
#include "switchover/fleet/commands.hpp"
#include "switchover/fleet/fleet.hpp"
#include "switchover/fleet/measurements.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

using base::metrics::Type;
using base::metrics::Writer;
using wire::contract::Sample;

double seconds_between(Time from, Time to) {
    return std::chrono::duration<double>(to - from).count();
}

/// One family over all hosts that were heard; `value` gives nullopt where there is none.
template <class Value>
void per_host(
    Writer& out,
    const Fleet& fleet,
    std::string_view name,
    std::string_view help,
    const Value& value
) {
    out.family(name, Type::gauge, help);
    for (const auto& host : fleet.hosts()) {
        if (!host.heard()) continue;
        const std::optional<double> number = value(host);
        if (number) out.sample({{"host", host.id}}, *number);
    }
}

std::optional<double> number_of(const Host& host, const char* collector, const char* key) {
    const auto* sample = find_sample(*host.last, collector);
    const auto* number = sample ? find_number(*sample, key) : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

/// One family over all samples of a collector, labelled by their instance.
void per_instance(
    Writer& out,
    const Fleet& fleet,
    std::string_view name,
    std::string_view help,
    std::string_view collector,
    std::string_view key,
    std::string_view label,
    double scale
) {
    out.family(name, Type::gauge, help);
    for (const auto& host : fleet.hosts()) {
        if (!host.heard()) continue;
        std::set<std::string_view> seen;  // a sample twice would spoil the whole scrape
        for (const Sample& sample : host.last->samples) {
            if (sample.collector != collector) continue;
            const auto* number = find_number(sample, key);
            if (number && seen.insert(sample.instance).second)
                out.sample({{"host", host.id}, {label, sample.instance}}, *number * scale);
        }
    }
}

void write_ingest(Writer& out, const FleetCounters& counters) {
    out.family(
        "twinsite_switchover_reports", Type::counter, "Reports of agents, by what came of them."
    );
    out.sample({{"outcome", "live"}}, counters.live);
    out.sample({{"outcome", "backfill"}}, counters.backfilled);
    out.sample({{"outcome", "duplicate"}}, counters.duplicates);
    out.sample({{"outcome", "refused"}}, counters.refused);
    out.family("twinsite_switchover_batches", Type::counter, "Batches of site monitors.");
    out.sample(counters.batches);
    out.family("twinsite_switchover_probe_results", Type::counter, "Results of outside probes.");
    out.sample(counters.probes);
    out.family(
        "twinsite_switchover_history_points", Type::counter, "Numbers given to the history."
    );
    out.sample(counters.history_points);
}

void write_commands(Writer& out, const Commands& commands) {
    const auto& counters = commands.counters();
    out.family("twinsite_switchover_commands", Type::counter, "Commands to agents, by event.");
    out.sample({{"event", "ordered"}}, counters.submitted);
    out.sample({{"event", "sent"}}, counters.sent);
    out.sample({{"event", "result"}}, counters.results);
    out.sample({{"event", "expired"}}, counters.expired);
    out.sample({{"event", "foreign_result"}}, counters.foreign_results);
    out.sample({{"event", "unknown_result"}}, counters.unknown_results);
    out.family("twinsite_switchover_commands_pending", Type::gauge, "Commands without a result.");
    out.sample(std::uint64_t{commands.pending()});
    out.family("twinsite_switchover_command_polls", Type::gauge, "Agents and monitors that wait.");
    out.sample(std::uint64_t{commands.polling()});
}

void write_agents(Writer& out, const Fleet& fleet, Time now) {
    per_host(
        out,
        fleet,
        "twinsite_switchover_agent_report_age_seconds",
        "Since the freshest measurement.",
        [now](const Host& host) { return seconds_between(host.measured, now); }
    );
    per_host(
        out,
        fleet,
        "twinsite_switchover_agent_clock_skew_seconds",
        "Its wall clock less ours.",
        [](const Host& host) -> std::optional<double> {
            if (!host.skew_ms) return std::nullopt;
            return static_cast<double>(*host.skew_ms) / 1'000;
        }
    );
    per_host(
        out,
        fleet,
        "twinsite_switchover_agent_backlog_reports",
        "Reports that wait at the agent.",
        [](const Host& host) { return static_cast<double>(host.last->backlog); }
    );
    per_host(
        out,
        fleet,
        "twinsite_switchover_agent_dropped_reports",
        "Reports that the agent gave up since its start.",
        [](const Host& host) { return static_cast<double>(host.last->dropped); }
    );
    per_host(
        out,
        fleet,
        "twinsite_switchover_agent_rss_bytes",
        "Memory of the agent itself.",
        [](const Host& host) { return number_of(host, "self", "rss_bytes"); }
    );
    out.family(
        "twinsite_switchover_monitor_report_age_seconds", Type::gauge, "Since the last batch."
    );
    for (const auto& monitor : fleet.monitors())
        if (monitor.heard)
            out.sample({{"monitor", monitor.id}}, seconds_between(monitor.received, now));
}

void write_hosts(Writer& out, const Fleet& fleet) {
    constexpr std::array<std::pair<const char*, const char*>, 3> kKinds = {
        {{"instant", "idle"}, {"avg10s", "idle_avg10s"}, {"avg1m", "idle_avg1m"}}
    };
    out.family("twinsite_switchover_host_cpu_idle_ratio", Type::gauge, "Idle share of all CPUs.");
    for (const auto& host : fleet.hosts()) {
        if (!host.heard()) continue;
        for (const auto& [kind, key] : kKinds)
            if (const auto percent = number_of(host, "cpu", key))
                out.sample({{"host", host.id}, {"kind", kind}}, *percent / 100);
    }
    per_host(
        out,
        fleet,
        "twinsite_switchover_host_memory_max_bytes",
        "The least limit that holds.",
        [](const Host& host) { return number_of(host, "memory", "max_bytes"); }
    );
    per_host(
        out,
        fleet,
        "twinsite_switchover_host_memory_used_bytes",
        "Memory that cannot be given back.",
        [](const Host& host) { return number_of(host, "memory", "used_bytes"); }
    );
    per_instance(
        out,
        fleet,
        "twinsite_switchover_host_disk_used_ratio",
        "As df reckons it.",
        "disk",
        "used_percent",
        "mount",
        0.01
    );
    per_instance(
        out,
        fleet,
        "twinsite_switchover_host_disk_avail_bytes",
        "Free for others than root.",
        "disk",
        "avail_bytes",
        "mount",
        1
    );
    per_instance(
        out,
        fleet,
        "twinsite_switchover_host_processes",
        "Processes that match the name.",
        "process",
        "count",
        "process",
        1
    );
}

}  // namespace

void write_metrics(Writer& out, const Fleet& fleet, const Commands& commands, Time now) {
    write_ingest(out, fleet.counters());
    write_commands(out, commands);
    write_agents(out, fleet, now);
    write_hosts(out, fleet);
}

}  // namespace twinsite::switchover::fleet
