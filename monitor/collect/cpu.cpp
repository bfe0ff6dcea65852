// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/cpu.hpp"

#include "base/text/text.hpp"

namespace twinsite::monitor::collect {
namespace {

constexpr auto kIdle = static_cast<std::size_t>(CpuField::idle);
constexpr auto kIowait = static_cast<std::size_t>(CpuField::iowait);
constexpr auto kSteal = static_cast<std::size_t>(CpuField::steal);

bool parse_total(std::string_view line, CpuCounters& out) {
    const auto words = base::text::words(line);
    if (words.size() < 1 + kCpuFields) return false;
    for (std::size_t i = 0; i < kCpuFields; ++i) {
        const auto ticks = base::text::parse_number<std::uint64_t>(words[i + 1]);
        if (!ticks) return false;
        out.ticks[i] = *ticks;
    }
    return true;
}

}  // namespace

std::optional<CpuCounters> parse_cpu(std::string_view proc_stat) {
    CpuCounters out;
    bool total = false;
    for (const auto line : base::text::split(proc_stat, '\n')) {
        if (!line.starts_with("cpu")) break;
        if (line.starts_with("cpu ")) {
            total = parse_total(line, out);
            if (!total) return std::nullopt;
        } else {
            ++out.cpus;
        }
    }
    if (!total || out.cpus == 0) return std::nullopt;
    return out;
}

bool CpuMeter::follows(const CpuCounters& reading) const {
    if (reading.cpus != last_->cpus) return false;
    for (std::size_t i = 0; i < kCpuFields; ++i)
        if (reading.ticks[i] + kBigStepTicks < last_->ticks[i]) return false;
    return true;
}

bool CpuMeter::add(const CpuCounters& reading, Time now) {
    const bool goes_on = last_ && follows(reading);
    const bool first = !last_;
    Point point{now, {}};
    if (goes_on) {
        point.sums = points_.back().sums;
        for (std::size_t i = 0; i < kCpuFields; ++i)
            if (reading.ticks[i] > last_->ticks[i])
                point.sums[i] += reading.ticks[i] - last_->ticks[i];
    } else {
        points_.clear();
    }
    last_ = reading;
    points_.push_back(point);
    // One point older than the longest window stays, so that the window is covered.
    while (points_.size() > 2 && now - points_[1].at >= kLongestWindow) points_.pop_front();
    return goes_on || first;
}

std::optional<CpuShares> CpuMeter::shares(std::chrono::milliseconds window) const {
    if (points_.size() < 2) return std::nullopt;
    const auto& newest = points_.back();
    auto from = points_.rbegin() + 1;
    while (newest.at - from->at < window && from + 1 != points_.rend()) ++from;
    if (newest.at - from->at < window / 2) return std::nullopt;
    std::array<std::uint64_t, kCpuFields> delta{};
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kCpuFields; ++i) {
        delta[i] = newest.sums[i] - from->sums[i];
        total += delta[i];
    }
    if (total == 0) return std::nullopt;
    const auto percent = [&](std::size_t field) {
        return 100.0 * static_cast<double>(delta[field]) / static_cast<double>(total);
    };
    return CpuShares{percent(kIdle), percent(kIowait), percent(kSteal)};
}

}  // namespace twinsite::monitor::collect
