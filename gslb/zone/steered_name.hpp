// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// A name whose records of some types come from steering.
struct SteeredName {
    wire::dns::Name name;
    std::vector<std::uint16_t> types;  ///< all that it can ever answer by steering
};

}  // namespace twinsite::gslb::zone
