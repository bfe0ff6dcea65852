// SPDX-License-Identifier: Apache-2.0
#include "tools/load/report.hpp"

#include <cstdio>
#include <string_view>

#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>

namespace twinsite::tools::load {
namespace {

/// One JSON object, written member by member: Boost.JSON prints 507.9 as 5.079E2, which is right
/// but no pleasure to read.
class Object {
public:
    Object& add(std::string_view name, std::uint64_t value) {
        return raw(name, std::to_string(value));
    }
    Object& add(std::string_view name, double value, int decimals) {
        char digits[64];
        std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
        return raw(name, digits);
    }
    Object& add(std::string_view name, const Object& value) { return raw(name, value.text()); }
    std::string text() const { return text_ + "}"; }

private:
    Object& raw(std::string_view name, std::string_view value) {
        if (text_.size() > 1) text_ += ',';
        text_ += boost::json::serialize(boost::json::string_view(name.data(), name.size()));
        text_ += ':';
        text_ += value;
        return *this;
    }
    std::string text_ = "{";
};

Object percentiles(const Histogram& histogram) {
    const std::pair<const char*, double> shares[] = {
        {"p50", 0.50},
        {"p95", 0.95},
        {"p98", 0.98},
        {"p99", 0.99},
        {"p99_9", 0.999},
        {"p99_999", 0.99999},
        {"max", 1.0}
    };
    Object out;
    for (const auto& [name, share] : shares) {
        const auto value = histogram.percentile(share);
        out.add(name, static_cast<double>(value.count()) / 1000.0, 1);
    }
    return out;
}

}  // namespace

std::string to_json(const Counters& counters, std::chrono::nanoseconds elapsed) {
    const double seconds = static_cast<double>(elapsed.count()) / 1e9;
    Object codes;
    for (const auto& [code, count] : counters.result_codes())
        codes.add(std::to_string(code), count);
    Object hosts;
    for (const auto& host : counters.hosts()) hosts.add(host.name, host.answers);
    Object out;
    out.add("sent", counters.sent)
        .add("answered", counters.answered)
        .add("lost", counters.lost)
        .add("late", counters.late)
        .add("duplicate", counters.duplicate)
        .add("unexpected", counters.unexpected)
        .add("unsent", counters.unsent)
        .add("result_codes", codes)
        .add("answers_by_host", hosts)
        .add("sessions", counters.sessions)
        .add("sessions_completed", counters.sessions_completed)
        .add("sessions_failed", counters.sessions_failed)
        .add("sessions_moved", counters.sessions_moved)
        .add("retransmits", counters.retransmits)
        .add("reconnects", counters.reconnects)
        .add("seconds", seconds, 3)
        .add("rate", seconds > 0 ? static_cast<double>(counters.answered) / seconds : 0.0, 1)
        .add("latency_us", percentiles(counters.latency))
        .add("send_lag_us", percentiles(counters.send_lag));
    return out.text();
}

bool is_clean(const Counters& counters) {
    return counters.lost == 0 && counters.duplicate == 0 && counters.unexpected == 0 &&
           counters.unsent == 0;
}

}  // namespace twinsite::tools::load
