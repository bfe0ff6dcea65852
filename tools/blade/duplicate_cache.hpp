// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace twinsite::tools::blade {

/// Remembers the last requests by (Origin-Host, end-to-end id), RFC 6733 section 3, with the
/// Result-Code they got: so that a request sent again with the T flag is not charged again. Holds
/// at least the last `kWays` requests that fall into one of its sets; with the sets given here that
/// is some hundred thousand in practice.
class DuplicateCache {
public:
    static constexpr std::size_t kSets = std::size_t{1} << 16;
    static constexpr std::size_t kWays = 8;

    DuplicateCache() : sets_(kSets) {}

    static std::uint64_t key(std::string_view origin_host, std::uint32_t end_to_end);
    /// 0: not seen.
    std::uint32_t find(std::uint64_t key) const;
    void remember(std::uint64_t key, std::uint32_t result_code);

private:
    struct Set {
        std::array<std::uint64_t, kWays> keys{};
        std::array<std::uint32_t, kWays> codes{};
        std::uint32_t next = 0;  ///< the oldest entry
    };
    std::vector<Set> sets_;
};

}  // namespace twinsite::tools::blade
