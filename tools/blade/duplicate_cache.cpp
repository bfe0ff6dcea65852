// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/duplicate_cache.hpp"

#include <functional>

namespace twinsite::tools::blade {
namespace {

/// Neighbouring ids of one host have neighbouring keys. 0 marks an empty place.
std::uint64_t key_of(std::string_view origin_host, std::uint32_t end_to_end) {
    const std::uint64_t key = std::hash<std::string_view>{}(origin_host) + end_to_end;
    return key == 0 ? 1 : key;
}

}  // namespace

std::uint32_t DuplicateCache::find(std::string_view origin_host, std::uint32_t end_to_end) const {
    const auto key = key_of(origin_host, end_to_end);
    const Set& set = sets_[key % kSets];
    for (std::size_t i = 0; i < kWays; ++i)
        if (set.keys[i] == key) return set.codes[i];
    return 0;
}

void DuplicateCache::remember(
    std::string_view origin_host, std::uint32_t end_to_end, std::uint32_t result_code
) {
    const auto key = key_of(origin_host, end_to_end);
    Set& set = sets_[key % kSets];
    set.keys[set.next] = key;
    set.codes[set.next] = static_cast<std::uint16_t>(result_code);
    set.next = (set.next + 1) % kWays;
}

}  // namespace twinsite::tools::blade
