// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/host_json.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <boost/json.hpp>

#include "switchover/api/backend.hpp"
#include "switchover/api/json.hpp"
#include "switchover/fleet/measurements.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;
using fleet::find_number;
using fleet::find_text;
using wire::contract::Report;
using wire::contract::Sample;
using wire::contract::Status;

json::value number(const Sample& sample, std::string_view key) {
    const auto* found = find_number(sample, key);
    if (!found || !std::isfinite(*found)) return nullptr;
    // Whole numbers (bytes, counts) without ".0" and exponent.
    if (std::abs(*found) < 9e15 && *found == std::floor(*found))
        return static_cast<std::int64_t>(*found);
    return *found;
}

template <std::size_t Size>
json::value numbers(
    const Report& report, std::string_view collector, const std::array<std::string_view, Size>& keys
) {
    const auto* sample = fleet::find_sample(report, collector);
    if (!sample) return nullptr;
    json::object out;
    for (const auto key : keys) out[key] = number(*sample, key);
    return out;
}

constexpr std::array<std::string_view, 6> kCpu = {
    "idle", "idle_avg10s", "idle_avg1m", "iowait", "steal", "cpus"
};
constexpr std::array<std::string_view, 4> kMemory = {
    "max_bytes", "used_bytes", "available_bytes", "used_percent"
};
constexpr std::array<std::string_view, 4> kDisk = {
    "size_bytes", "used_bytes", "avail_bytes", "used_percent"
};

json::object disk(const Sample& sample) {
    json::object out{{"mount", sample.instance}, {"status", to_string(sample.status)}};
    for (const auto key : kDisk) out[key] = number(sample, key);
    const auto* read_only = find_number(sample, "read_only");
    out["read_only"] = read_only && *read_only != 0;
    return out;
}

json::object process(const fleet::Host& host, const Sample& sample, Backend& backend) {
    const auto judged = backend.process_state(host.id, sample.instance);
    const auto* reported = find_text(sample, "state");
    const auto* detail = find_text(sample, "detail");
    return {
        {"name", sample.instance},
        {"state", judged.state},
        {"reported", reported ? json::value(*reported) : json::value("unknown")},
        {"count", number(sample, "count")},
        {"restarts", number(sample, "restarts")},
        {"detail", detail ? *detail : sample.detail},
    };
}

json::value rounded_age(fleet::Time then, fleet::Time now) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - then).count();
    return age < 0 ? 0 : age;
}

void add_report(json::object& out, const fleet::Host& host, Backend& backend) {
    const auto& report = *host.last;
    out["cpu"] = numbers(report, "cpu", kCpu);
    out["memory"] = numbers(report, "memory", kMemory);
    json::array disks;
    json::array processes;
    json::array troubles;
    for (const auto& sample : report.samples) {
        if (sample.collector == "disk") disks.push_back(disk(sample));
        if (sample.collector == "process") processes.push_back(process(host, sample, backend));
        if (sample.status == Status::ok) continue;
        troubles.push_back(json::object{
            {"collector", sample.collector},
            {"instance", sample.instance},
            {"status", to_string(sample.status)},
            {"age_ms", sample.age_ms},
            {"detail", sample.detail},
        });
    }
    out["disks"] = std::move(disks);
    out["processes"] = std::move(processes);
    out["collectors"] = std::move(troubles);
    const auto* self = fleet::find_sample(report, "self");
    out["agent"] = json::object{
        {"rss_bytes", self ? number(*self, "rss_bytes") : json::value(nullptr)},
        {"cpu_percent", self ? number(*self, "cpu_percent") : json::value(nullptr)},
        {"backlog", report.backlog},
        {"dropped", report.dropped},
        {"skew_ms", host.skew_ms ? json::value(*host.skew_ms) : json::value(nullptr)},
    };
    out["seq"] = report.seq;
    out["version"] = report.version;
    out["interval_ms"] = host.interval.count();
}

}  // namespace

json::object host_json(const fleet::Host& host, Backend& backend, fleet::Time now) {
    const auto judged = backend.host_state(host.id);
    json::object out{
        {"id", host.id},
        {"site", host.site},
        {"name", host.name},
        {"kind", host.kind},
        {"state", judged.state},
        {"since_wall",
         judged.since_wall ? json::value(format_wall(*judged.since_wall)) : json::value(nullptr)},
        {"age_ms", host.heard() ? rounded_age(host.measured, now) : json::value(nullptr)},
        {"stale", host.stale(now, backend.stale_intervals())},
        {"seq", nullptr},
        {"version", ""},
        {"interval_ms", nullptr},
        {"cpu", nullptr},
        {"memory", nullptr},
        {"disks", json::array()},
        {"processes", json::array()},
        {"collectors", json::array()},
        {"agent", nullptr},
    };
    if (host.heard()) add_report(out, host, backend);
    json::array via;
    for (const auto& way : host.via)
        if (now - way.last < host.interval * (backend.stale_intervals() + 1))
            via.push_back(json::value(way.name));
    out["via"] = std::move(via);
    return out;
}

}  // namespace twinsite::switchover::api
