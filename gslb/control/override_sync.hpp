// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gslb/control/overrides.hpp"
#include "wire/group/message.hpp"

/// Overrides as the members of a group tell them to each other. Only those of global scope travel.
namespace twinsite::gslb::control {

wire::group::OverrideEntry to_wire(const Override& entry, const Moment& now);
/// Times left and ages are counted from `now`.
Override from_wire(const wire::group::OverrideEntry& entry, const Moment& now);

/// A page of entries and marks, behind the key `from` ("": from the beginning).
wire::group::Overrides page_of(
    const Overrides& overrides, std::string_view from, const Moment& now
);
/// Where the next page begins: the key of the last entry.
std::string page_key(const wire::group::OverrideEntry& entry);
/// SHA-256 over keys and stamps, hex: equal for members that agree.
std::string digest_of(const Overrides& overrides);

}  // namespace twinsite::gslb::control
