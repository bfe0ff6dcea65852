// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gslb/steering/policy.hpp"

/// What a target answers for a type.
namespace twinsite::gslb::steering {

/// Whether the target is a CNAME, which answers every type.
inline bool is_cname(const Target& target) {
    return std::any_of(target.records.begin(), target.records.end(), [](const auto& record) {
        return record.type == wire::dns::type::cname;
    });
}

inline bool has_type(const Target& target, std::uint16_t type) {
    if (is_cname(target)) return true;
    if (is_address(type))
        return std::any_of(
            target.addresses.begin(),
            target.addresses.end(),
            [type](const auto& address) { return address.family == family_of(type); }
        );
    return std::any_of(target.records.begin(), target.records.end(), [type](const auto& record) {
        return record.type == type;
    });
}

}  // namespace twinsite::gslb::steering
