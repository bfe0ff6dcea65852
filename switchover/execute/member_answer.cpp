// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/member_answer.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "base/text/text.hpp"

namespace twinsite::switchover::execute {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxItems = 2'000;
constexpr std::size_t kMaxTextBytes = 300;

std::optional<json::object> parse_object(std::string_view text) {
    if (text.size() > kMaxAnswerBytes) return std::nullopt;
    base::Error failure;
    auto value = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::string text_of(const json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr || text->size() > kMaxTextBytes) return {};
    return std::string(*text);
}

std::uint64_t number_of(const json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    const auto* number = value == nullptr ? nullptr : value->if_int64();
    return number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
}

bool truth_of(const json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    const auto* truth = value == nullptr ? nullptr : value->if_bool();
    return truth != nullptr && *truth;
}

/// The objects in a list; nullopt when there is no list, or one of a size that cannot be.
std::optional<std::vector<const json::object*>> objects_of(
    const json::object& from, std::string_view name
) {
    const auto* value = from.if_contains(name);
    const auto* list = value == nullptr ? nullptr : value->if_array();
    if (list == nullptr || list->size() > kMaxItems) return std::nullopt;
    std::vector<const json::object*> out;
    for (const auto& item : *list)
        if (const auto* object = item.if_object()) out.push_back(object);
    return out;
}

SiteView read_site(const json::object& from) {
    SiteView out;
    out.site = text_of(from, "site");
    out.service = text_of(from, "service");
    out.health = text_of(from, "health");
    out.control = text_of(from, "control");
    out.override_state = text_of(from, "override");
    out.answering = truth_of(from, "answering");
    return out;
}

}  // namespace

std::string to_rfc3339(std::int64_t wall_ms) {
    constexpr std::int64_t kMs = 1'000;
    constexpr std::int64_t kYear9999 = 253'402'300'799;
    const auto seconds =
        static_cast<std::time_t>(std::clamp<std::int64_t>(wall_ms / kMs, 0, kYear9999));
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> out{};
    const auto size = std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {out.data(), size};
}

wire::contract::Desired make_desired(
    const Member& member,
    const std::vector<store::WantedState>& wanted,
    const wire::contract::Fence& fence,
    const std::string& server
) {
    const auto receiver = member.kind == MemberKind::gslb ? "gslb" : "slb/" + member.name;
    wire::contract::Desired out;
    out.fence = fence;
    out.server = server;
    for (const auto& each : wanted)
        if (each.receiver == receiver)
            out.objects.push_back(
                {each.object, each.state, each.reason, to_rfc3339(each.since_wall_ms)}
            );
    return out;
}

bool read_desired_answer(std::string_view text, MemberView& into) {
    const auto from = parse_object(text);
    if (!from) return false;
    const auto fence = wire::contract::fence_from_json(from->if_contains("fence"));
    const auto objects = objects_of(*from, "objects");
    if (!fence || !objects) return false;
    const bool slb = into.member.kind == MemberKind::slb;
    const auto sites = objects_of(*from, "sites");
    const auto* blades = from->if_contains("blades");
    const auto* counts = blades == nullptr ? nullptr : blades->if_object();
    if (slb ? counts == nullptr : !sites.has_value()) return false;
    into.fence = *fence;
    into.objects.clear();
    for (const auto* each : *objects)
        into.objects.emplace_back(text_of(*each, "object"), text_of(*each, "state"));
    into.sites.clear();
    if (!slb)
        for (const auto* site : *sites) into.sites.push_back(read_site(*site));
    into.ready = slb && truth_of(*from, "ready");
    into.clients = slb ? number_of(*from, "clients") : 0;
    into.blades_active = slb ? number_of(*counts, "active") : 0;
    into.blades_total = slb ? number_of(*counts, "total") : 0;
    return true;
}

bool holds(const MemberView& view, const wire::contract::Desired& desired) {
    if (!view.fence || *view.fence != desired.fence) return false;
    auto have = view.objects;
    std::vector<std::pair<std::string, std::string>> want;
    for (const auto& each : desired.objects) want.emplace_back(each.object, each.state);
    std::sort(have.begin(), have.end());
    std::sort(want.begin(), want.end());
    return have == want;
}

std::optional<wire::contract::Fence> read_stale_fence(const base::http::Response& response) {
    constexpr unsigned kConflict = 409;
    if (response.status != kConflict) return std::nullopt;
    const auto from = parse_object(response.body);
    if (!from || text_of(*from, "title") != "stale fence") return std::nullopt;
    const auto fence = wire::contract::fence_from_json(from->if_contains("highest"));
    if (!fence) return std::nullopt;
    return *fence;
}

std::string explain_refusal(const base::http::Response& response) {
    const auto from = parse_object(response.body);
    auto out = from ? text_of(*from, "title") : "";
    const auto detail = from ? text_of(*from, "detail") : "";
    if (out.empty()) out = "status " + std::to_string(response.status);
    if (!detail.empty()) out += ": " + detail;
    return base::text::printable(out.substr(0, kMaxTextBytes));
}

std::optional<ReleaseState> read_release_answer(std::string_view text) {
    const auto from = parse_object(text);
    if (!from) return std::nullopt;
    ReleaseState out;
    out.op_id = text_of(*from, "op_id");
    out.state = text_of(*from, "state");
    out.released = number_of(*from, "released");
    out.total = number_of(*from, "total");
    if (out.state.empty()) return std::nullopt;
    return out;
}

}  // namespace twinsite::switchover::execute
