// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/traffic_report.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace twinsite::cli::demo {
namespace {

using namespace std::chrono_literals;

/// Served at the end means: a good answer within this time before it.
constexpr auto kFresh = 2s;
constexpr unsigned kRowsPerTitle = 20;

void print(const boost::json::object& line) {
    std::printf("%s\n", boost::json::serialize(line).c_str());
    std::fflush(stdout);
}

std::string link_text(const Element& element) {
    const auto link = element.link();
    return link ? base::net::to_string(*link) : "-";
}

double milliseconds(std::uint32_t microseconds) {
    return microseconds / 1000.0;
}

boost::json::object tally_json(const Tally& tally) {
    boost::json::object out;
    for (std::size_t i = 0; i < kSites.size(); ++i)
        out[boost::json::string_view(kSites[i].data(), kSites[i].size())] = tally.good[i];
    out["not_good"] = tally.not_good;
    return out;
}

}  // namespace

std::string time_of_day(Time moment) {
    const auto ago = std::chrono::steady_clock::now() - moment;
    const auto wall = std::chrono::system_clock::now() - ago;
    const auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>(wall.time_since_epoch());
    const std::time_t seconds = since.count() / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    std::array<char, 32> out{};
    std::snprintf(
        out.data(),
        out.size(),
        "%02d:%02d:%02d.%03d",
        local.tm_hour,
        local.tm_min,
        local.tm_sec,
        static_cast<int>(since.count() % 1000)
    );
    return out.data();
}

void TrafficReport::print_title() {
    if (rows_++ % kRowsPerTitle != 0) return;
    std::printf(
        "%-8s  %-6s  %9s  %9s  %8s  %8s  %8s  %s\n",
        "TIME",
        "CLIENT",
        "EAST/s",
        "WEST/s",
        "NOT GOOD",
        "P50 ms",
        "P99 ms",
        "LINK"
    );
}

void TrafficReport::second(Element& element) {
    const auto tally = element.ledger().take_stretch();
    const auto p50 = milliseconds(tally.quantile_us(0.5));
    const auto p99 = milliseconds(tally.quantile_us(0.99));
    const auto& site = element.config().site;
    const auto now = time_of_day(std::chrono::steady_clock::now());
    if (json_) {
        auto line = tally_json(tally);
        line["kind"] = "second";
        line["time"] = now;
        line["client"] = site;
        line["p50_ms"] = p50;
        line["p99_ms"] = p99;
        line["link"] = link_text(element);
        print(line);
        return;
    }
    print_title();
    std::printf(
        "%-8s  %-6s  %9llu  %9llu  %8llu  %8.2f  %8.2f  %s\n",
        now.substr(0, 8).c_str(),
        site.c_str(),
        static_cast<unsigned long long>(tally.good[0]),
        static_cast<unsigned long long>(tally.good[1]),
        static_cast<unsigned long long>(tally.not_good),
        p50,
        p99,
        link_text(element).c_str()
    );
    std::fflush(stdout);
}

void TrafficReport::note(const std::string& site, const std::string& text) {
    // What is tried again and again is said once.
    if (std::exchange(last_notes_[site], text) == text) return;
    const auto now = time_of_day(std::chrono::steady_clock::now());
    if (json_) {
        print({{"kind", "note"}, {"time", now}, {"client", site}, {"text", text}});
        return;
    }
    std::printf("%s  %-6s  %s\n", now.substr(0, 8).c_str(), site.c_str(), text.c_str());
    std::fflush(stdout);
}

void TrafficReport::outage(const std::string& site, const Outage& outage) {
    const auto last = time_of_day(outage.last_good);
    const auto first = time_of_day(outage.first_good);
    if (json_) {
        print(
            {{"kind", "outage"},
             {"client", site},
             {"last_good", last},
             {"first_good", first},
             {"ms", outage.length().count()}}
        );
        return;
    }
    std::printf(
        "%s  %-6s  outage: last good %s, first good %s = %lld ms\n",
        first.substr(0, 8).c_str(),
        site.c_str(),
        last.c_str(),
        first.c_str(),
        static_cast<long long>(outage.length().count())
    );
    std::fflush(stdout);
}

bool TrafficReport::summary(Element& element) {
    auto& ledger = element.ledger();
    const auto last = ledger.last_good();
    const auto end = end_.value_or(std::chrono::steady_clock::now());
    const bool served = last && end - *last < kFresh;
    const auto& total = ledger.total();
    std::int64_t longest = 0;
    for (const auto& outage : ledger.outages())
        longest = std::max<std::int64_t>(longest, outage.length().count());
    if (json_) {
        auto line = tally_json(total);
        line["kind"] = "summary";
        line["client"] = element.config().site;
        line["unanswered"] = element.pending();
        line["outages"] = ledger.outages().size();
        line["longest_outage_ms"] = longest;
        line["served_at_the_end"] = served;
        print(line);
        return served;
    }
    std::printf(
        "summary %s client: %llu good (east %llu, west %llu), %llu not good, %zu unanswered, "
        "%zu outages, longest %lld ms, at the end %s\n",
        element.config().site.c_str(),
        static_cast<unsigned long long>(total.all_good()),
        static_cast<unsigned long long>(total.good[0]),
        static_cast<unsigned long long>(total.good[1]),
        static_cast<unsigned long long>(total.not_good),
        element.pending(),
        ledger.outages().size(),
        static_cast<long long>(longest),
        served ? "served" : "NOT SERVED"
    );
    return served;
}

}  // namespace twinsite::cli::demo
