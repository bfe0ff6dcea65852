// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/self_usage.hpp"

#include <sys/resource.h>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::report {
namespace {

constexpr int kNice = 5;

std::chrono::microseconds to_duration(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

std::uint64_t SelfUsage::rss_bytes() {
    const auto content = base::file::read_state_file("/proc/self/statm");
    if (!content || !*content) return 0;
    const auto words = base::text::words(**content);
    if (words.size() < 2) return 0;
    const auto pages = base::text::parse_number<std::uint64_t>(words[1]);
    return pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<double> SelfUsage::cpu_percent(std::chrono::milliseconds now) {
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
    const auto used = to_duration(usage.ru_utime) + to_duration(usage.ru_stime);
    std::optional<double> out;
    if (last_ && now > *last_) {
        const std::chrono::microseconds passed = now - *last_;
        out = 100.0 * static_cast<double>((used - used_).count()) /
              static_cast<double>(passed.count());
    }
    last_ = now;
    used_ = used;
    return out;
}

void be_humble() {
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    if (nice < kNice) ::setpriority(PRIO_PROCESS, 0, kNice);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
}

}  // namespace twinsite::monitor::report
