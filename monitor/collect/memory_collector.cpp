// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/memory_collector.hpp"

#include <utility>

#include "base/file/state_file.hpp"
#include "monitor/collect/memory.hpp"

namespace twinsite::monitor::collect {

using wire::contract::Sample;
using wire::contract::Status;

namespace {

Sample failed(std::string detail) {
    Sample out;
    out.collector = "memory";
    out.status = Status::error;
    out.detail = std::move(detail);
    return out;
}

}  // namespace

Sample sample_memory(const ControlGroup& group) {
    const auto text = base::file::read_state_file("/proc/meminfo");
    const auto info = parse_meminfo(text ? text->value_or("") : "");
    if (!info) return failed("/proc/meminfo cannot be read");
    const auto use = measure_memory(*info, group.memory());
    if (!use) return failed("the kernel does not say MemAvailable");
    Sample out;
    out.collector = "memory";
    out.numbers = {
        {"max_bytes", static_cast<double>(use->max_bytes)},
        {"used_bytes", static_cast<double>(use->used_bytes)},
        {"available_bytes", static_cast<double>(use->available_bytes)},
        {"used_percent", use->used_percent},
        {"swap_used_percent", use->swap_used_percent}
    };
    return out;
}

}  // namespace twinsite::monitor::collect
