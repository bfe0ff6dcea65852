// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/reception.hpp"

#include <algorithm>
#include <utility>

namespace twinsite::monitor::site {

using wire::contract::Report;

Reception::Taken Reception::take(Report report, std::size_t bytes, Time now) {
    auto known = known_.find(report.name);
    if (known == known_.end()) {
        if (known_.size() >= kMaxAgents) return Taken::full;
        known = known_.emplace(report.name, Known{report.boot_id, 0, now}).first;
    }
    known->second.heard = now;
    // What is sent late comes newest first, so only live reports tell how far an agent is.
    if (!report.backfill) {
        if (known->second.boot_id != report.boot_id) known->second = {report.boot_id, 0, now};
        if (report.seq <= known->second.seq) return Taken::repeated;
    }
    if (!waiting_.empty() && bytes_ + bytes > kMaxBytes) return Taken::full;
    if (!report.backfill) known->second.seq = report.seq;
    bytes_ += bytes;
    waiting_.push_back({std::move(report), now});
    return Taken::fresh;
}

std::vector<Report> Reception::release(Time now) {
    std::vector<Report> out;
    std::map<std::string, std::size_t> live;
    for (auto& waiting : waiting_) {
        auto& report = waiting.report;
        report.age_ms += static_cast<std::uint64_t>((now - waiting.arrived).count());
        if (!report.backfill) {
            const auto [older, first] = live.try_emplace(report.name, out.size());
            if (!first) {
                out[older->second].backfill = true;
                older->second = out.size();
            }
        }
        out.push_back(std::move(report));
    }
    waiting_.clear();
    bytes_ = 0;
    return out;
}

std::size_t Reception::agents(Time now, Time limit) const {
    return static_cast<std::size_t>(std::count_if(
        known_.begin(),
        known_.end(),
        [&](const auto& known) { return now - known.second.heard <= limit; }
    ));
}

}  // namespace twinsite::monitor::site
