// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.hpp"
#include "switchover/execute/member.hpp"
#include "switchover/store/intent.hpp"
#include "wire/contract/desired.hpp"

/// What members say and are told, as values. Pure.
namespace twinsite::switchover::execute {

inline constexpr std::size_t kMaxAnswerBytes = 1024 * 1024;

/// The complete list for this member, out of all that is wanted.
wire::contract::Desired make_desired(
    const Member& member,
    const std::vector<store::WantedState>& wanted,
    const wire::contract::Fence& fence,
    const std::string& server
);
/// RFC 3339 in UTC with whole seconds.
std::string to_rfc3339(std::int64_t wall_ms);

/// Takes the answer to GET /api/v1/desired into the view. False, with nothing changed, when it is
/// not such an answer.
bool read_desired_answer(std::string_view text, MemberView& into);
/// Whether the member holds just this list, of this fence.
bool holds(const MemberView& view, const wire::contract::Desired& desired);

/// `highest` of a "stale fence" problem.
std::optional<wire::contract::Fence> read_stale_fence(const base::http::Response& response);
/// Title and detail of a problem, else the status: for people, at most 300 bytes.
std::string explain_refusal(const base::http::Response& response);

struct ReleaseState {
    std::string op_id;
    std::string state;  ///< idle | running | done | stopped
    std::uint64_t released = 0;
    std::uint64_t total = 0;
};
std::optional<ReleaseState> read_release_answer(std::string_view text);

}  // namespace twinsite::switchover::execute
