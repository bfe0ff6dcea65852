// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/measurements.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

using wire::contract::Report;
using wire::contract::Sample;

constexpr std::size_t kSamplesKept = 256;
constexpr std::size_t kMembersKept = 32;
constexpr std::size_t kTextBytesKept = 256;
constexpr std::size_t kHistoryPerReport = 128;
constexpr std::size_t kInstanceBytes = 128;  // in the name of a metric

struct Charted {
    std::string_view collector;
    std::string_view key;
};
// One row a report and number is written for each: only what a page shows.
constexpr std::array<Charted, 7> kCharted = {{
    {"cpu", "idle"},
    {"cpu", "idle_avg1m"},
    {"memory", "used_bytes"},
    {"memory", "used_percent"},
    {"disk", "used_percent"},
    {"process", "count"},
    {"self", "rss_bytes"},
}};

void cut(std::string& text, std::size_t most = kTextBytesKept) {
    if (text.size() <= most) return;
    auto end = most;
    // Not inside a UTF-8 character: continuation bytes are 10xxxxxx.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    text.shrink_to_fit();
}

template <class Members>
void cut_members(Members& members) {
    if (members.size() <= kMembersKept) return;
    members.resize(kMembersKept);
    members.shrink_to_fit();
}

void trim_sample(Sample& sample) {
    cut(sample.collector);
    cut(sample.instance);
    cut(sample.detail);
    cut_members(sample.numbers);
    cut_members(sample.texts);
    for (auto& number : sample.numbers) cut(number.first);
    for (auto& [key, value] : sample.texts) {
        cut(key);
        cut(value);
    }
}

}  // namespace

const double* find_number(const Sample& sample, std::string_view key) {
    for (const auto& [name, value] : sample.numbers)
        if (name == key) return &value;
    return nullptr;
}

const std::string* find_text(const Sample& sample, std::string_view key) {
    for (const auto& [name, value] : sample.texts)
        if (name == key) return &value;
    return nullptr;
}

const Sample* find_sample(const Report& report, std::string_view collector) {
    for (const auto& sample : report.samples)
        if (sample.collector == collector && sample.status == wire::contract::Status::ok)
            return &sample;
    return nullptr;
}

void trim(Report& report) {
    if (report.samples.size() > kSamplesKept) {
        report.samples.resize(kSamplesKept);
        report.samples.shrink_to_fit();
    }
    for (auto& sample : report.samples) trim_sample(sample);
    for (auto* text : {&report.site, &report.name, &report.role, &report.version, &report.boot_id})
        cut(*text);
}

void add_history(
    std::vector<store::HistoryPoint>& to,
    const std::string& host,
    const Report& report,
    std::int64_t wall_ms
) {
    std::size_t added = 0;
    for (const auto& sample : report.samples) {
        if (sample.status != wire::contract::Status::ok) continue;
        for (const auto& charted : kCharted) {
            if (charted.collector != sample.collector) continue;
            const auto* value = find_number(sample, charted.key);
            if (!value || !std::isfinite(*value)) continue;
            auto metric = std::string(charted.collector).append(1, '.').append(charted.key);
            auto instance = sample.instance;
            cut(instance, kInstanceBytes);
            if (!instance.empty()) metric.append(1, '@').append(instance);
            to.push_back({host, std::move(metric), wall_ms, *value});
            if (++added == kHistoryPerReport) return;
        }
    }
}

}  // namespace twinsite::switchover::fleet
