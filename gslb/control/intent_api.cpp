// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/intent_api.hpp"

#include <algorithm>
#include <variant>

#include <boost/json.hpp>

#include "base/crypto/base64.hpp"
#include "base/text/text.hpp"
#include "gslb/control/api.hpp"
#include "gslb/control/group_json.hpp"
#include "gslb/control/json.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::PathParameters;
using base::http::problem;
using base::http::Request;
using base::http::Response;

constexpr std::size_t kLongestText_bytes = 500;

/// Empty when all is well, else what is wrong.
std::string take_text(const json::object& body, std::string_view key, std::string& into) {
    const std::string name = "'" + std::string(key) + "'";
    const auto* value = body.if_contains(key);
    if (value == nullptr || !value->is_string()) return name + " must be a text";
    into = base::text::trim(json::value_to<std::string>(*value));
    if (into.empty()) return name + " must not be empty";
    if (into.size() > kLongestText_bytes) return name + " must not be longer than 500 bytes";
    return "";
}

std::string take_flag(const json::object& body, std::string_view key, bool& into) {
    const auto* value = body.if_contains(key);
    if (value == nullptr) return "";
    if (!value->is_bool()) return "'" + std::string(key) + "' must be true or false";
    into = value->as_bool();
    return "";
}

std::string take_files(const json::object& body, group::Files& into) {
    const auto* value = body.if_contains("files");
    const auto* files = value == nullptr ? nullptr : value->if_object();
    if (files == nullptr) return "'files' must be an object of paths and contents";
    for (const auto& member : *files) {
        const std::string path(member.key());
        if (!group::is_bundle_path(path))
            return "path '" + base::text::printable(path) + "' is not allowed";
        const auto* text = member.value().if_string();
        auto content =
            text == nullptr
                ? std::nullopt
                : base::crypto::from_base64(std::string_view(text->data(), text->size()));
        if (!content) return "file '" + path + "' is not base64";
        into.emplace(path, *std::move(content));
    }
    if (!into.contains(std::string(group::kIntentFile)))
        return "there is no " + std::string(group::kIntentFile) + " among the files";
    return "";
}

enum class Wants { check, apply, rollback };

std::variant<IntentRequest, Response> read_request(const json::object& body, Wants wants) {
    IntentRequest out;
    std::string wrong;
    const auto refuse = [&] { return problem(422, "Wrong request", wrong); };
    if (wants != Wants::rollback) wrong = take_files(body, out.files);
    if (!wrong.empty()) return refuse();
    if (wants == Wants::check) return out;
    for (const auto& [key, into] :
         {std::pair("operator", &out.operator_), std::pair("reason", &out.reason)}) {
        wrong = take_text(body, key, *into);
        if (!wrong.empty()) return refuse();
    }
    wrong = take_flag(body, "take_over", out.take_over);
    if (!wrong.empty()) return refuse();
    return out;
}

Response answer(const IntentOutcome& outcome) {
    if (outcome.stopping) return problem(503, "Stopping", "the program is stopping");
    if (!outcome.failure.empty()) return problem(500, "Not published", outcome.failure);
    if (!outcome.refusal.empty()) return problem(409, "Refused by a rule", outcome.refusal);
    if (!outcome.findings.empty())
        return problem(
            422,
            "Intent refused",
            "what is in force stays",
            "\"findings\":" + json::serialize(to_json(outcome.findings))
        );
    json::object out{{"difference", to_json(outcome.difference)}};
    if (outcome.version) out["version"] = to_json(*outcome.version);
    return json_answer(out);
}

/// The body as an object, or the problem.
std::variant<json::object, Response> read_body(const Request& request) {
    base::Error failure;
    auto value = json::parse(request.body, failure);
    if (failure || !value.is_object())
        return problem(400, "Not JSON", "the body must be a JSON object");
    return std::move(value.get_object());
}

Response check(const GroupSeams& group, const Request& request) {
    auto body = read_body(request);
    if (auto* wrong = std::get_if<Response>(&body)) return std::move(*wrong);
    auto wanted = read_request(std::get<json::object>(body), Wants::check);
    if (auto* wrong = std::get_if<Response>(&wanted)) return std::move(*wrong);
    return answer(group.check(std::get<IntentRequest>(wanted)));
}

Response apply(const GroupSeams& group, const Request& request) {
    auto body = read_body(request);
    if (auto* wrong = std::get_if<Response>(&body)) return std::move(*wrong);
    auto wanted = read_request(std::get<json::object>(body), Wants::apply);
    if (auto* wrong = std::get_if<Response>(&wanted)) return std::move(*wrong);
    return answer(group.apply(std::get<IntentRequest>(wanted)));
}

/// {"epoch", "seq"}; both absent: the version before the one in force.
std::string take_version(const json::object& body, wire::group::IntentVersion& into) {
    for (const auto& [key, number] :
         {std::pair("epoch", &into.epoch), std::pair("seq", &into.seq)}) {
        const auto* value = body.if_contains(key);
        if (value == nullptr) continue;
        if (!value->is_int64() || value->get_int64() < 1)
            return "'" + std::string(key) + "' must be a whole number from 1 up";
        *number = static_cast<std::uint64_t>(value->get_int64());
    }
    if ((into.epoch == 0) != (into.seq == 0)) return "'epoch' and 'seq' must be there together";
    return "";
}

Response roll_back(const GroupSeams& group, const Request& request) {
    auto body = read_body(request);
    if (auto* wrong = std::get_if<Response>(&body)) return std::move(*wrong);
    const auto& object = std::get<json::object>(body);
    auto wanted = read_request(object, Wants::rollback);
    if (auto* wrong = std::get_if<Response>(&wanted)) return std::move(*wrong);
    wire::group::IntentVersion version;
    if (const auto wrong = take_version(object, version); !wrong.empty())
        return problem(422, "Wrong request", wrong);
    return answer(group.rollback(version, std::get<IntentRequest>(wanted)));
}

}  // namespace

void add_group_routes(
    base::http::Router& router, const ApiSeams& seams, const GroupSeams& group, const Gate& gate
) {
    const auto add = [&](const char* method, const char* path, base::http::Handler handler) {
        const auto pattern = std::string("/api/v1/") + path;
        router.add(method, pattern, gate(method, pattern, std::move(handler)));
    };
    const auto show = [&seams, &group](const auto& write) -> base::http::Handler {
        return [&seams, &group, write](const Request&, const PathParameters&) {
            Response out;
            if (!seams.on_helm([&] { out = json_answer(write(group.view())); }))
                return problem(503, "Stopping", "the program is stopping");
            return out;
        };
    };
    add("GET", "group", show([](const GroupView& view) { return group_to_json(view); }));
    add("GET", "intent", show([](const GroupView& view) { return intent_to_json(view); }));
    add("POST", "intent/check", [&group](const Request& request, const PathParameters&) {
        return check(group, request);
    });
    add("POST", "intent/apply", [&group](const Request& request, const PathParameters&) {
        return apply(group, request);
    });
    add("POST", "intent/rollback", [&group](const Request& request, const PathParameters&) {
        return roll_back(group, request);
    });
}

}  // namespace twinsite::gslb::control
