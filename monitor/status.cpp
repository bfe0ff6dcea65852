// SPDX-License-Identifier: Apache-2.0
#include "monitor/status.hpp"

#include <cstdint>

#include <boost/json.hpp>

#include "base/metrics/openmetrics.hpp"
#include "monitor/agent/agent.hpp"
#include "monitor/report/self_usage.hpp"
#include "monitor/site/site.hpp"

namespace twinsite::monitor {
namespace {

namespace json = boost::json;
using base::metrics::Type;
using base::metrics::Writer;
using report::LinkConfig;

/// Agent and site have the same ways of telling about their servers.
template <class Reporter>
json::array servers_to_json(const Reporter& from) {
    json::array out;
    for (std::size_t server = 0; server < from.links().size(); ++server) {
        const auto& state = from.links().state(server);
        out.push_back(json::object{
            {"server", state.server},
            {"up", state.up},
            {"polled", from.links().polled(server)},
            {"error", state.error},
            {"sent", state.sent},
            {"backfill", state.backfill},
            {"failed", state.failed},
            {"refused", state.refused},
            {"skew_ms", state.skew_ms},
            {"backlog", from.backlog(server)},
            {"dropped", from.dropped(server)},
        });
    }
    return out;
}

template <class Reporter>
json::object common_status(const Reporter& from) {
    const auto& self = from.config().links.self;
    return {
        {"role", self.role},
        {"site", self.site},
        {"node", self.name},
        {"version", from.config().version},
        {"uptime_s", from.uptime().count() / 1000},
        {"rss_bytes", report::SelfUsage::rss_bytes()},
        {"servers", servers_to_json(from)},
    };
}

template <class Reporter>
void write_common(Writer& out, const Reporter& from) {
    const auto& self = from.config().links.self;
    out.family("twinsite_monitor_build", Type::info, "The running program.");
    out.sample(
        {{"version", from.config().version},
         {"site", self.site},
         {"node", self.name},
         {"role", self.role}},
        std::uint64_t{1}
    );
    out.family("twinsite_monitor_resident_bytes", Type::gauge, "Memory of the program.");
    out.sample(report::SelfUsage::rss_bytes());
    const auto each = [&](auto value) {
        for (std::size_t server = 0; server < from.links().size(); ++server)
            out.sample({{"server", from.links().state(server).server}}, value(server));
    };
    const auto state = [&](std::size_t server) -> const report::UplinkState& {
        return from.links().state(server);
    };
    out.family("twinsite_monitor_server_up", Type::gauge, "1 when the last request was answered.");
    each([&](std::size_t server) { return std::uint64_t{state(server).up ? 1U : 0U}; });
    out.family("twinsite_monitor_sent", Type::counter, "Reports or batches that a server took.");
    each([&](std::size_t server) { return state(server).sent; });
    out.family("twinsite_monitor_backfill", Type::counter, "Of these, sent late.");
    each([&](std::size_t server) { return state(server).backfill; });
    out.family("twinsite_monitor_failed", Type::counter, "Requests without a good answer.");
    each([&](std::size_t server) { return state(server).failed; });
    out.family("twinsite_monitor_backlog", Type::gauge, "Reports or batches that wait.");
    each([&](std::size_t server) { return std::uint64_t{from.backlog(server)}; });
    out.family("twinsite_monitor_dropped", Type::counter, "Reports or batches given up.");
    each([&](std::size_t server) { return from.dropped(server); });
    out.family("twinsite_monitor_skew_seconds", Type::gauge, "Clock of the server minus ours.");
    each([&](std::size_t server) { return static_cast<double>(state(server).skew_ms) / 1000.0; });
}

}  // namespace

std::string status_of(const agent::Agent& agent) {
    auto out = common_status(agent);
    const auto& operations = agent.operations();
    out["kind"] = agent.config().kind;
    out["seq"] = agent.seq();
    out["fence"] = wire::contract::to_json(operations.fence());
    out["actions"] = json::object{
        {"running", operations.running()},
        {"done", operations.counters().done},
        {"failed", operations.counters().failed},
        {"refused", operations.counters().refused},
        {"repeated", operations.counters().repeated},
    };
    return json::serialize(out);
}

std::string status_of(const site::Site& site) {
    auto out = common_status(site);
    out["agents"] = site.agents();
    out["pending_commands"] = site.pending_commands();
    json::array probes;
    for (const auto& probe : site.probes())
        probes.push_back(json::object{
            {"name", probe.name},
            {"kind", probe.kind},
            {"subject", probe.subject},
            {"view", probe.view},
            {"ok", probe.ok},
            {"latency_ms", probe.latency_ms},
            {"age_ms", probe.age_ms},
            {"detail", probe.detail},
        });
    out["probes"] = std::move(probes);
    return json::serialize(out);
}

std::string metrics_of(const agent::Agent& agent) {
    Writer out;
    write_common(out, agent);
    const auto& counters = agent.operations().counters();
    out.family("twinsite_monitor_commands", Type::counter, "Commands by what became of them.");
    out.sample({{"outcome", "done"}}, counters.done);
    out.sample({{"outcome", "failed"}}, counters.failed);
    out.sample({{"outcome", "refused"}}, counters.refused);
    out.sample({{"outcome", "repeated"}}, counters.repeated);
    return out.finish();
}

std::string metrics_of(const site::Site& site) {
    Writer out;
    write_common(out, site);
    const auto& counters = site.counters();
    out.family("twinsite_monitor_agents", Type::gauge, "Agents heard within three intervals.");
    out.sample(std::uint64_t{site.agents()});
    out.family("twinsite_monitor_reports", Type::counter, "Reports of agents by outcome.");
    out.sample({{"outcome", "taken"}}, counters.reports);
    out.sample({{"outcome", "repeated"}}, counters.repeated);
    out.sample({{"outcome", "refused"}}, counters.refused);
    out.family("twinsite_monitor_probe_ok", Type::gauge, "1 when the last outside check was good.");
    for (const auto& probe : site.probes())
        out.sample(
            {{"probe", probe.name}, {"subject", probe.subject}, {"view", probe.view}},
            std::uint64_t{probe.ok ? 1U : 0U}
        );
    return out.finish();
}

}  // namespace twinsite::monitor
