// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "wire/contract/fence.hpp"

namespace twinsite::slb::control {

/// Body of POST /api/v1/release: {"fence", "op_id", "rate_per_s", "cause"?}.
struct ReleaseRequest {
    wire::contract::Fence fence;
    std::string op_id;
    double per_second = 5;  ///< 0.1 to 1000
};

/// A sentence when the body is no such request; `is_json` then tells 400 from 422.
struct BadRelease {
    bool is_json = true;
    std::string text;
};
std::variant<ReleaseRequest, BadRelease> read_release(std::string_view body);

/// Body of DELETE /api/v1/release, {"fence"}; an empty one has none (operators).
std::variant<std::optional<wire::contract::Fence>, BadRelease> read_stop(std::string_view body);

/// The releases begun since the start of the program, so that an order that comes again is not
/// done again. Only the newest are remembered.
class Releases {
public:
    struct Entry {
        std::string op_id;
        std::size_t clients = 0;
    };

    const Entry* find(std::string_view op_id) const;
    /// The newest; nullptr: none yet.
    const Entry* last() const { return entries_.empty() ? nullptr : &entries_.back(); }
    void add(std::string op_id, std::size_t clients);

private:
    static constexpr std::size_t kMost = 64;
    std::deque<Entry> entries_;
};

}  // namespace twinsite::slb::control
