// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/control_group.hpp"

#include <algorithm>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::collect {
namespace {

constexpr double kLeastCpus = 0.001;

std::optional<std::string> read(const std::string& path) {
    auto text = base::file::read_state_file(path);
    if (!text || !*text) return std::nullopt;
    return std::move(**text);
}

std::optional<std::uint64_t> read_number(const std::string& path) {
    const auto text = read(path);
    if (!text) return std::nullopt;
    return base::text::parse_number<std::uint64_t>(base::text::trim(*text));
}

// "key value" lines: always by name, the order of the lines is not promised.
std::optional<std::uint64_t> find_key(std::string_view text, std::string_view key) {
    for (const auto line : base::text::split(text, '\n')) {
        const auto words = base::text::words(line);
        if (words.size() == 2 && words[0] == key)
            return base::text::parse_number<std::uint64_t>(words[1]);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> key_in(const std::string& path, std::string_view key) {
    const auto text = read(path);
    return text ? find_key(*text, key) : std::nullopt;
}

std::uint64_t less(std::uint64_t whole, std::uint64_t part) {
    return whole - std::min(whole, part);
}

bool names(std::string_view controllers, std::string_view wanted) {
    const auto list = base::text::split(controllers, ',');
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

/// The limits of our own service bound us, not the machine that we speak for.
std::string without_service(std::string path) {
    return path.ends_with(".service") ? parent_group(path).value_or("/") : path;
}

}  // namespace

std::optional<std::string> parent_group(const std::string& path) {
    if (path == "/") return std::nullopt;
    const auto slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

ControlGroup::ControlGroup(std::string root) : root_(std::move(root)) {
    const auto text = read(root_ + "/proc/self/cgroup").value_or("");
    for (const auto line : base::text::split(text, '\n')) {  // "4:memory:/a/b", "0::/a"
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto path = without_service(std::string(line.substr(second + 1)));
        if (controllers.empty()) v2_ = path;
        if (names(controllers, "memory")) memory_ = path;
        if (names(controllers, "cpu")) cpu_ = path;
    }
}

std::optional<MemoryLimit> ControlGroup::memory() const {
    if (!memory_.empty()) return memory_v1();
    return v2_.empty() ? std::nullopt : memory_v2();
}

std::optional<MemoryLimit> ControlGroup::memory_v2() const {
    std::optional<MemoryLimit> out;
    for (std::optional<std::string> group = v2_; group; group = parent_group(*group)) {
        const auto folder = root_ + "/sys/fs/cgroup" + *group + "/";
        const auto limit = read_number(folder + "memory.max");  // "max" is no number: no limit
        if (!limit || (out && *limit >= out->limit_bytes)) continue;
        const auto current = read_number(folder + "memory.current").value_or(0);
        const auto cache = key_in(folder + "memory.stat", "inactive_file").value_or(0);
        out = MemoryLimit{*limit, less(current, cache)};
    }
    return out;
}

std::optional<MemoryLimit> ControlGroup::memory_v1() const {
    constexpr std::uint64_t kNoLimit = 1ULL << 60;  // the kernel's "none" is a huge number
    std::optional<MemoryLimit> out;
    for (std::optional<std::string> group = memory_; group; group = parent_group(*group)) {
        const auto folder = root_ + "/sys/fs/cgroup/memory" + *group + "/";
        const auto limit = read_number(folder + "memory.limit_in_bytes");
        if (!limit || *limit > kNoLimit || (out && *limit >= out->limit_bytes)) continue;
        // usage_in_bytes is only near the truth by the kernel's own words: resident set and cache.
        const auto stat = read(folder + "memory.stat").value_or("");
        const auto used =
            find_key(stat, "total_rss").value_or(0) + find_key(stat, "total_cache").value_or(0);
        out = MemoryLimit{*limit, less(used, find_key(stat, "total_inactive_file").value_or(0))};
    }
    return out;
}

std::optional<CpuQuota> ControlGroup::cpu() const {
    if (!cpu_.empty()) return cpu_v1();
    return v2_.empty() ? std::nullopt : cpu_v2();
}

std::optional<CpuQuota> ControlGroup::cpu_v2() const {
    std::optional<CpuQuota> out;
    for (std::optional<std::string> group = v2_; group; group = parent_group(*group)) {
        const auto folder = root_ + "/sys/fs/cgroup" + *group + "/";
        const auto text = read(folder + "cpu.max").value_or("");  // "50000 100000" or "max 100000"
        const auto words = base::text::words(base::text::trim(text));
        if (words.size() != 2) continue;
        const auto quota = base::text::parse_double(words[0]);
        const auto period = base::text::parse_double(words[1]);
        if (!quota || !period || *period <= 0) continue;
        const auto cpus = std::max(*quota / *period, kLeastCpus);
        if (out && cpus >= out->cpus) continue;
        const auto stat = read(folder + "cpu.stat").value_or("");
        out = CpuQuota{
            cpus,
            find_key(stat, "usage_usec").value_or(0),
            find_key(stat, "throttled_usec").value_or(0)
        };
    }
    return out;
}

std::optional<CpuQuota> ControlGroup::cpu_v1() const {
    std::optional<CpuQuota> out;
    for (std::optional<std::string> group = cpu_; group; group = parent_group(*group)) {
        const auto folder = root_ + "/sys/fs/cgroup/cpu" + *group + "/";
        const auto quota = read_number(folder + "cpu.cfs_quota_us");  // "-1": none, no number here
        const auto period = read_number(folder + "cpu.cfs_period_us");
        if (!quota || !period || *period == 0) continue;
        const auto cpus =
            std::max(static_cast<double>(*quota) / static_cast<double>(*period), kLeastCpus);
        if (out && cpus >= out->cpus) continue;
        const auto used = read_number(root_ + "/sys/fs/cgroup/cpuacct" + *group + "/cpuacct.usage");
        const auto throttled = key_in(folder + "cpu.stat", "throttled_time");  // both in ns
        out = CpuQuota{cpus, used.value_or(0) / 1000, throttled.value_or(0) / 1000};
    }
    return out;
}

}  // namespace twinsite::monitor::collect
