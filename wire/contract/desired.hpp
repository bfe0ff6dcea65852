// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::wire::contract {

/// What switchover wants of one object. Which kinds of objects and which states there are is the
/// receiver's matter: gslb knows site:, service: and target: with in, out and drain; slb knows
/// blade: with active and drain.
struct DesiredObject {
    std::string object;  ///< "site:east", "service:ocs@east", "target:ocs/ocs-east", "blade:b1"
    std::string state;
    std::string reason;  ///< for people; may be empty
    std::string since;   ///< RFC 3339, when it was wanted first; may be empty

    bool operator==(const DesiredObject&) const = default;
};

/// The whole wanted state of one receiver: what is not in the list has no control.
struct Desired {
    Fence fence;
    std::string server;  ///< identity of the sending server
    std::vector<DesiredObject> objects;

    bool operator==(const Desired&) const = default;
};

inline constexpr std::size_t kMaxDesiredBytes = 1024 * 1024;
inline constexpr std::size_t kMaxDesiredObjects = 2'000;

/// The part before the colon of "site:east", and the part behind it; both empty without a colon.
struct ObjectName {
    std::string_view kind;
    std::string_view rest;
};
ObjectName split_object(std::string_view object);

/// Body of PUT /api/v1/desired and content of desired.json. Members that are not known are ignored.
/// Errors: not_json, unknown_schema, too_large, bad_fence, bad_member, bad_text, bad_name, twice.
base::Result<Desired> decode_desired(std::string_view text);
std::string encode(const Desired& desired);

}  // namespace twinsite::wire::contract
