// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/demo/element.hpp"

namespace twinsite::cli::demo {

/// What `demo traffic` prints: a row per second and client, outages and notes between them, a
/// summary at the end. As JSON each of them is an object on a line of its own.
class TrafficReport {
public:
    explicit TrafficReport(bool json) : json_(json) {}

    void second(Element& element);
    void note(const std::string& site, const std::string& text);
    void outage(const std::string& site, const Outage& outage);
    /// What comes later is only the end of open sessions.
    void end_of_run(Time now) { end_ = now; }
    /// True when the element was served well at the end of the run.
    bool summary(Element& element);

private:
    void print_title();

    const bool json_;
    unsigned rows_ = 0;
    std::map<std::string, std::string> last_notes_;  ///< By site.
    std::optional<Time> end_;
};

/// Local time of day with milliseconds, "14:05:01.123", of a monotonic moment.
std::string time_of_day(Time moment);

}  // namespace twinsite::cli::demo
