// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "monitor/collect/collectors.hpp"

namespace twinsite::monitor::collect {
namespace {

bool is_absolute(const std::string& path) {
    return path.starts_with('/');
}

std::vector<std::string> parse_mounts(base::config::Cursor disks, std::string_view key) {
    std::vector<std::string> out;
    auto list = disks.find(key);
    if (!list) return out;
    for (auto item : list->items()) {
        auto path = item.value<std::string>();
        if (!is_absolute(path)) item.error("must be the absolute path of a mount point");
        out.push_back(std::move(path));
    }
    return out;
}

bool is_regex(const std::string& text) {
    try {
        const std::regex parsed(text, std::regex::extended);
        return true;
    } catch (const std::regex_error&) {
        return false;
    }
}

void parse_match(base::config::Cursor at, ProcessConfig& out) {
    out.exe = at.optional<std::string>("exe", "");
    out.cmdline = at.optional<std::string>("cmdline", "");
    out.pidfile = at.optional<std::string>("pidfile", "");
    at.finish();
    const int given = !out.exe.empty() + !out.cmdline.empty() + !out.pidfile.empty();
    if (given != 1) at.error("must have exactly one of exe, cmdline and pidfile");
    if (!out.exe.empty() && !is_absolute(out.exe)) at.error("exe must be an absolute path");
    if (!out.pidfile.empty() && !is_absolute(out.pidfile))
        at.error("pidfile must be an absolute path");
    if (!is_regex(out.cmdline)) at.error("cmdline is not an extended regular expression");
}

ProcessConfig parse_process(base::config::Cursor at) {
    using std::chrono_literals::operator""s;
    using std::chrono_literals::operator""h;
    ProcessConfig out;
    out.name = at.required<std::string>("name");
    if (at.exists() && out.name.empty()) at.error("needs a name");
    parse_match(at.child("match"), out);
    out.min = at.in_range<std::uint32_t>("min", 0, 10'000, out.min);
    out.max = at.in_range<std::uint32_t>("max", 1, 10'000, std::max(out.min, out.max));
    if (out.max < out.min) at.error("max must not be less than min");
    out.stuck_after = at.in_range<std::chrono::milliseconds>("stuck_after", 1s, 24h, 60s);
    at.finish();
    return out;
}

}  // namespace

CollectConfig parse_collect(base::config::Cursor at) {
    CollectConfig out;
    if (auto disks = at.find("disks")) {
        out.include_disks = parse_mounts(*disks, "include");
        out.exclude_disks = parse_mounts(*disks, "exclude");
        disks->finish();
    }
    if (auto list = at.find("processes")) {
        for (auto item : list->items()) {
            auto process = parse_process(item);
            for (const auto& other : out.processes)
                if (other.name == process.name) item.error("a process has this name already");
            out.processes.push_back(std::move(process));
        }
    }
    at.finish();
    return out;
}

}  // namespace twinsite::monitor::collect
