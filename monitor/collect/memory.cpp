// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/memory.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::monitor::collect {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// "MemTotal:       24683656 kB"
std::optional<std::uint64_t> bytes_of(std::string_view line) {
    const auto words = base::text::words(line);
    if (words.size() < 2) return std::nullopt;
    const auto number = base::text::parse_number<std::uint64_t>(words[1]);
    if (!number) return std::nullopt;
    return words.size() > 2 && words[2] == "kB" ? *number * 1024 : *number;
}

}  // namespace

std::optional<MemoryInfo> parse_meminfo(std::string_view text) {
    MemoryInfo out;
    bool total = false;
    for (const auto line : base::text::split(text, '\n')) {
        const auto value = bytes_of(line);
        if (!value) continue;
        if (line.starts_with("MemTotal:")) {
            out.total = *value;
            total = true;
        } else if (line.starts_with("MemAvailable:")) {
            out.available = *value;
        } else if (line.starts_with("SwapTotal:")) {
            out.swap_total = *value;
        } else if (line.starts_with("SwapFree:")) {
            out.swap_free = *value;
        }
    }
    if (!total) return std::nullopt;
    return out;
}

std::optional<MemoryUse> measure_memory(
    const MemoryInfo& info, const std::optional<MemoryLimit>& limit
) {
    MemoryUse out;
    out.swap_used_percent =
        percent(info.swap_total - std::min(info.swap_free, info.swap_total), info.swap_total);
    if (limit && limit->limit_bytes < info.total) {
        out.max_bytes = limit->limit_bytes;
        out.used_bytes = std::min(limit->usage_bytes, limit->limit_bytes);
    } else {
        if (!info.available) return std::nullopt;
        out.max_bytes = info.total;
        out.used_bytes = info.total - std::min(*info.available, info.total);
    }
    out.available_bytes = out.max_bytes - out.used_bytes;
    out.used_percent = percent(out.used_bytes, out.max_bytes);
    return out;
}

}  // namespace twinsite::monitor::collect
