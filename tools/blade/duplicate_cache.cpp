// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/duplicate_cache.hpp"

#include <functional>

namespace twinsite::tools::blade {

std::uint64_t DuplicateCache::key(std::string_view origin_host, std::uint32_t end_to_end) {
    std::uint64_t mixed = std::hash<std::string_view>{}(origin_host) + end_to_end;
    // Finaliser of splitmix64: neighbouring ids must not share a set.
    mixed ^= mixed >> 30;
    mixed *= 0xbf58476d1ce4e5b9U;
    mixed ^= mixed >> 27;
    mixed *= 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
    return mixed == 0 ? 1 : mixed;  // 0 marks an empty place
}

std::uint32_t DuplicateCache::find(std::uint64_t key) const {
    const Set& set = sets_[key % kSets];
    for (std::size_t i = 0; i < kWays; ++i)
        if (set.keys[i] == key) return set.codes[i];
    return 0;
}

void DuplicateCache::remember(std::uint64_t key, std::uint32_t result_code) {
    Set& set = sets_[key % kSets];
    set.keys[set.next] = key;
    set.codes[set.next] = result_code;
    set.next = (set.next + 1) % kWays;
}

}  // namespace twinsite::tools::blade
