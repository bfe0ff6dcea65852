// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/error/result.hpp"
#include "wire/contract/error.hpp"

namespace twinsite::wire::contract {

/// Which switchover server speaks (docs/decisions/0016). Compared by generation, then revision: a
/// server that took the leadership later has the higher one.
struct Fence {
    std::uint64_t generation = 0;  ///< raised by command when a store is restored or moved
    std::uint64_t revision = 0;    ///< of the leader row, taken anew at each start

    auto operator<=>(const Fence&) const = default;
};

/// "1.7", for logs and people.
std::string to_string(const Fence& fence);
/// {"generation":1,"revision":7}
boost::json::object to_json(const Fence& fence);
/// bad_fence for everything else; null stands for a member that is not there.
base::Result<Fence> fence_from_json(const boost::json::value* value);

/// Remembers the highest fence seen in each scope and refuses lower ones. A value; its owner keeps
/// it on disk. The text of a scope is chosen by the owner, for example "control".
class FenceGuard {
public:
    /// True when `fence` is not below the highest of the scope; it is the highest from now on.
    bool accept(std::string_view scope, const Fence& fence);
    /// {0,0} for a scope that has seen none.
    Fence highest(std::string_view scope) const;

    /// The content of a fence.json.
    std::string to_json_text() const;
    /// Errors: not_json, unknown_schema, too_large, bad_fence, bad_name.
    static base::Result<FenceGuard> from_json_text(std::string_view text);

    bool operator==(const FenceGuard&) const = default;

private:
    std::map<std::string, Fence, std::less<>> highest_;
};

}  // namespace twinsite::wire::contract
