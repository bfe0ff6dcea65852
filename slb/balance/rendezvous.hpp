// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "slb/balance/loads.hpp"

namespace twinsite::slb::balance {

/// Highest random weight: the eligible blade with the largest mix of `tag` and its own `seeds`
/// entry. The same session meets the same blade without any memory of it, and a blade that comes
/// or goes moves only its own share. Used when the placement table is full.
std::optional<std::uint16_t> rendezvous(
    std::uint64_t tag, const std::vector<std::uint64_t>& seeds, const std::vector<Load>& loads
);

}  // namespace twinsite::slb::balance
