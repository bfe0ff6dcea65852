// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace twinsite::tools::blade {

/// Remembers the last requests by (Origin-Host, end-to-end id), RFC 6733 section 3, with the
/// Result-Code they got: so that a request sent again with the T flag is not charged again. Clients
/// count their ids upwards, so neighbours in time are neighbours in memory, and each client has the
/// last 131,072 of its own at least while the others stay away from them.
class DuplicateCache {
public:
    static constexpr std::size_t kSets = std::size_t{1} << 17;
    static constexpr std::size_t kWays = 4;

    DuplicateCache() : sets_(kSets) {}

    /// 0: not seen.
    std::uint32_t find(std::string_view origin_host, std::uint32_t end_to_end) const;
    void remember(
        std::string_view origin_host, std::uint32_t end_to_end, std::uint32_t result_code
    );

private:
    struct Set {
        std::array<std::uint64_t, kWays> keys{};
        std::array<std::uint16_t, kWays> codes{};  ///< Result-Codes have four digits
        std::uint32_t next = 0;                    ///< the oldest entry
    };
    std::vector<Set> sets_;
};

}  // namespace twinsite::tools::blade
