// SPDX-License-Identifier: Apache-2.0
#include "tools/load/workload.hpp"

namespace twinsite::tools::load {

std::uint16_t Counters::count_host(std::string_view host) {
    constexpr std::size_t kMaxHosts = 65'534;
    std::size_t index = 0;
    while (index < hosts_.size() && hosts_[index].name != host) ++index;
    if (index == hosts_.size()) {
        if (index == kMaxHosts) return kMaxHosts;
        hosts_.push_back({std::string(host), 0});
    }
    ++hosts_[index].answers;
    return static_cast<std::uint16_t>(index);
}

}  // namespace twinsite::tools::load
