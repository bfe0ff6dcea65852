// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/process_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <utility>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::collect {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> read(const std::string& path) {
    auto text = base::file::read_state_file(path);
    if (!text || !*text) return std::nullopt;
    return std::move(**text);
}

/// The library matches regular expressions by recursion: no stack of ours is that deep.
constexpr std::size_t kMaxCommandBytes = 4096;

bool is_number(const std::string& name) {
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Arguments are parted by NULs; people write blanks.
std::string words_of(std::string cmdline) {
    while (!cmdline.empty() && cmdline.back() == '\0') cmdline.pop_back();
    std::replace(cmdline.begin(), cmdline.end(), '\0', ' ');
    cmdline.resize(std::min(cmdline.size(), kMaxCommandBytes));
    return cmdline;
}

std::uint64_t read_boot_time(const std::string& proc) {
    const auto stat = read(proc + "/stat").value_or("");
    for (const auto line : base::text::split(stat, '\n'))
        if (line.starts_with("btime "))
            return base::text::parse_number<std::uint64_t>(line.substr(6)).value_or(0);
    return 0;
}

// The kernel marks the link of a program whose file was replaced while it runs.
constexpr std::string_view kDeleted = " (deleted)";

}  // namespace

ProcessTable::ProcessTable(const std::vector<ProcessConfig>& wanted, std::string proc)
    : proc_(std::move(proc)), found_(wanted.size()) {
    for (const auto& config : wanted) {
        Matcher matcher;
        matcher.exe = config.exe;
        matcher.pidfile = config.pidfile;
        if (!config.cmdline.empty()) {
            matcher.by = Matcher::By::cmdline;
            matcher.cmdline = std::regex(config.cmdline, std::regex::extended);
        } else if (!config.pidfile.empty()) {
            matcher.by = Matcher::By::pidfile;
        }
        matchers_.push_back(std::move(matcher));
    }
}

void ProcessTable::refresh(bool whole) {
    const bool all_there = refresh_known();
    if (whole || !all_there) scan();
    for (std::size_t i = 0; i < matchers_.size(); ++i)
        if (matchers_[i].by == Matcher::By::pidfile) match_pidfile(i);
}

bool ProcessTable::refresh_known() {
    bool all = true;
    for (auto& found : found_) {
        auto& list = found.instances;
        for (auto& instance : list) {
            const auto text = read(proc_ + "/" + std::to_string(instance.identity.pid) + "/stat");
            const auto stat = text ? parse_stat(*text) : std::nullopt;
            const bool same = stat && stat->start == instance.identity.start;
            instance.state = same ? stat->state : 'X';
            instance.thread_alive = same && stat->state == 'Z' && has_living_thread(stat->pid);
        }
        const auto gone = [](const Instance& instance) { return instance.state == 'X'; };
        const auto kept = std::remove_if(list.begin(), list.end(), gone);
        all = all && kept == list.end();
        list.erase(kept, list.end());
        all = all && !list.empty();
    }
    return all;
}

void ProcessTable::scan() {
    // A leader that has ended has no program and no command line any more: it is still known by its
    // identity. So what is known stays, and the scan adds.
    for (auto& found : found_) found.hidden = !fs::exists(proc_ + "/1/stat");
    std::error_code failure;
    for (fs::directory_iterator at(proc_, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (!is_number(name)) continue;
        if (const auto candidate = read_candidate(name)) match(*candidate);
    }
}

std::optional<ProcessTable::Candidate> ProcessTable::read_candidate(const std::string& pid) const {
    const auto folder = proc_ + "/" + pid;
    const auto text = read(folder + "/stat");
    auto stat = text ? parse_stat(*text) : std::nullopt;
    if (!stat) return std::nullopt;  // ended meanwhile
    Candidate out;
    out.stat = std::move(*stat);
    std::array<char, 4096> target;
    const auto size = ::readlink((folder + "/exe").c_str(), target.data(), target.size());
    if (size > 0) {
        out.exe.assign(target.data(), static_cast<std::size_t>(size));
        if (out.exe.ends_with(kDeleted)) out.exe.resize(out.exe.size() - kDeleted.size());
        struct stat file{};
        if (::stat((folder + "/exe").c_str(), &file) == 0) out.program = file.st_ino;
    } else {
        out.exe_forbidden = size < 0 && errno == EACCES;
    }
    out.cmdline = words_of(read(folder + "/cmdline").value_or(""));
    return out;
}

void ProcessTable::match(const Candidate& candidate) {
    for (std::size_t i = 0; i < matchers_.size(); ++i) {
        const auto& matcher = matchers_[i];
        auto& found = found_[i];
        bool fits = false;
        if (matcher.by == Matcher::By::pidfile) continue;
        if (matcher.by == Matcher::By::exe) {
            fits = candidate.exe == matcher.exe;
            const auto name = fs::path(matcher.exe).filename().string().substr(0, 15);
            if (candidate.exe_forbidden && candidate.stat.command == name) found.hidden = true;
        } else {
            fits =
                !candidate.cmdline.empty() && std::regex_match(candidate.cmdline, matcher.cmdline);
        }
        update(found.instances, candidate, fits);
    }
}

void ProcessTable::update(std::vector<Instance>& list, const Candidate& candidate, bool fits)
    const {
    const auto same = std::find_if(list.begin(), list.end(), [&](const Instance& known) {
        return known.identity.pid == candidate.stat.pid &&
               known.identity.start == candidate.stat.start;
    });
    if (fits && same == list.end()) list.push_back(to_instance(candidate));
    // Number and start stay when a process runs another program (execve).
    const bool readable = !candidate.exe.empty() && !candidate.cmdline.empty();
    if (!fits && same != list.end() && readable) list.erase(same);
}

// A pidfile only names a candidate: it may be left from a process long dead, whose number another
// one has now. Whoever wrote the file was running when it was written.
void ProcessTable::match_pidfile(std::size_t index) {
    const auto& file = matchers_[index].pidfile;
    auto& found = found_[index];
    const auto text = read(file);
    const auto words =
        text ? base::text::words(base::text::trim(*text)) : std::vector<std::string_view>{};
    const auto pid = words.empty() ? std::string() : std::string(words[0]);
    const auto known = found.instances;
    found.instances.clear();
    if (!is_number(pid)) return;
    const auto candidate = read_candidate(pid);
    if (!candidate) return;
    for (const auto& instance : known)
        if (instance.identity.pid == candidate->stat.pid &&
            instance.identity.start == candidate->stat.start)
            found.instances.push_back(instance);
    if (found.instances.empty() && !newer_than_file(candidate->stat, file))
        found.instances.push_back(to_instance(*candidate));
}

bool ProcessTable::newer_than_file(const StatLine& stat, const std::string& file) const {
    struct stat facts{};
    if (::stat(file.c_str(), &facts) != 0) return true;
    const auto ticks = static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L));
    // Anew each time: it moves when the wall clock is set.
    const auto started_s = read_boot_time(proc_) + stat.start / ticks;
    constexpr std::uint64_t kRounding = 2;  // both are cut to whole seconds
    return started_s > static_cast<std::uint64_t>(facts.st_mtime) + kRounding;
}

Instance ProcessTable::to_instance(const Candidate& candidate) const {
    const auto& stat = candidate.stat;
    return {
        {stat.pid, stat.start, candidate.program},
        stat.state,
        stat.state == 'Z' && has_living_thread(stat.pid)
    };
}

bool ProcessTable::has_living_thread(std::int32_t pid) const {
    const auto folder = proc_ + "/" + std::to_string(pid) + "/task";
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto text = read(at->path().string() + "/stat");
        const auto stat = text ? parse_stat(*text) : std::nullopt;
        if (stat && stat->state != 'Z' && stat->state != 'X') return true;
    }
    return false;
}

}  // namespace twinsite::monitor::collect
