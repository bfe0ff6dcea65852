// SPDX-License-Identifier: Apache-2.0
#include "slb/control/releases.hpp"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>

#include "wire/contract/command.hpp"

namespace twinsite::slb::control {

namespace json = boost::json;

namespace {

constexpr double kSlowest = 0.1;
constexpr double kFastest = 1'000;

std::optional<double> read_rate(const json::object& body) {
    const auto* value = body.if_contains("rate_per_s");
    if (value == nullptr || !value->is_number()) return std::nullopt;
    const auto rate = value->to_number<double>();
    if (!(rate >= kSlowest && rate <= kFastest)) return std::nullopt;
    return rate;
}

}  // namespace

std::variant<ReleaseRequest, BadRelease> read_release(std::string_view text) {
    base::Error failure;
    const auto value = json::parse(text, failure);
    const auto* body = failure ? nullptr : value.if_object();
    if (body == nullptr) return BadRelease{false, "the body must be a JSON object"};
    ReleaseRequest out;
    const auto fence = wire::contract::fence_from_json(body->if_contains("fence"));
    if (!fence) return BadRelease{true, fence.error().message()};
    out.fence = *fence;
    const auto* op_id = body->if_contains("op_id");
    if (op_id == nullptr || !op_id->is_string() ||
        !wire::contract::is_op_id(std::string_view(op_id->get_string())))
        return BadRelease{true, "'op_id' must be 1 to 64 letters, digits, '.', '_' or '-'"};
    out.op_id = std::string(op_id->get_string());
    const auto rate = read_rate(*body);
    if (!rate) return BadRelease{true, "'rate_per_s' must be a number from 0.1 to 1000"};
    out.per_second = *rate;
    // BUSY and DO_NOT_WANT_TO_TALK_TO_YOU would keep clients away (RFC 6733 section 5.4.3).
    const auto* cause = body->if_contains("cause");
    if (cause != nullptr && *cause != "REBOOTING")
        return BadRelease{true, "'cause' must be REBOOTING"};
    return out;
}

std::variant<std::optional<wire::contract::Fence>, BadRelease> read_stop(std::string_view text) {
    if (text.empty()) return std::nullopt;
    base::Error failure;
    const auto value = json::parse(text, failure);
    const auto* body = failure ? nullptr : value.if_object();
    if (body == nullptr) return BadRelease{false, "the body must be a JSON object"};
    const auto fence = wire::contract::fence_from_json(body->if_contains("fence"));
    if (!fence) return BadRelease{true, fence.error().message()};
    return *fence;
}

const Releases::Entry* Releases::find(std::string_view op_id) const {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.op_id == op_id;
    });
    return at == entries_.end() ? nullptr : &*at;
}

void Releases::add(std::string op_id, std::size_t clients) {
    entries_.push_back({std::move(op_id), clients});
    if (entries_.size() > kMost) entries_.pop_front();
}

}  // namespace twinsite::slb::control
