// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/override_request.hpp"

#include <algorithm>
#include <array>

#include <boost/json.hpp>

#include "base/text/text.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::problem;
using base::http::Response;

constexpr std::size_t kLongestText_bytes = 500;
constexpr std::int64_t kLongestTtl_s = std::int64_t{365} * 86'400;

/// Empty when all is well, else what is wrong.
std::string take_text(const json::object& body, std::string_view key, std::string& into) {
    const std::string name = "'" + std::string(key) + "'";
    const auto* value = body.if_contains(key);
    if (value == nullptr) return name + " is missing";
    if (!value->is_string()) return name + " must be a text";
    into = base::text::trim(json::value_to<std::string>(*value));
    if (into.empty()) return name + " must not be empty";
    if (into.size() > kLongestText_bytes) return name + " must not be longer than 500 bytes";
    return "";
}

std::string take_ttl(const json::object& body, const Moment& now, Override& entry) {
    const auto* value = body.if_contains("ttl_s");
    if (value == nullptr || value->is_null()) return "";
    if (!value->is_int64() || value->as_int64() < 1 || value->as_int64() > kLongestTtl_s)
        return "'ttl_s' must be whole seconds between 1 and 31536000";
    entry.expires = now.monotonic + std::chrono::seconds(value->as_int64());
    return "";
}

std::string take_force(const json::object& body, bool& force) {
    const auto* value = body.if_contains("force");
    if (value == nullptr) return "";
    if (!value->is_bool()) return "'force' must be true or false";
    force = value->as_bool();
    return "";
}

std::string find_unknown(const json::object& body) {
    constexpr std::array<std::string_view, 5> kKnown{"state", "reason", "author", "ttl_s", "force"};
    for (const auto& member : body)
        if (std::find(kKnown.begin(), kKnown.end(), std::string_view(member.key())) == kKnown.end())
            return "'" + std::string(member.key()) + "' is not known here";
    return "";
}

std::string take_all(const json::object& body, const Moment& now, OverrideRequest& out) {
    std::string state;
    if (auto wrong = take_text(body, "state", state); !wrong.empty()) return wrong;
    const auto forced = parse_forced(state);
    if (!forced) return "'state' must be up, down or drain";
    out.entry.state = *forced;
    if (auto wrong = take_text(body, "reason", out.entry.reason); !wrong.empty()) return wrong;
    if (auto wrong = take_text(body, "author", out.entry.author); !wrong.empty()) return wrong;
    if (auto wrong = take_ttl(body, now, out.entry); !wrong.empty()) return wrong;
    if (auto wrong = take_force(body, out.force); !wrong.empty()) return wrong;
    return find_unknown(body);
}

}  // namespace

std::variant<OverrideRequest, Response> read_override(
    const OverrideKey& key, const base::http::Request& request, const Moment& now
) {
    boost::system::error_code failure;
    const auto value = json::parse(request.body, failure);
    if (failure || !value.is_object())
        return problem(400, "Not JSON", "the body must be a JSON object");
    OverrideRequest out;
    out.entry.key = key;
    out.entry.set_at = now.wall;
    out.force = find_query(request, "force") == "1";
    auto wrong = take_all(value.as_object(), now, out);
    if (!wrong.empty()) return problem(422, "Wrong override", wrong);
    return out;
}

}  // namespace twinsite::gslb::control
