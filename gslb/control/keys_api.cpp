// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/keys_api.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include <boost/json.hpp>

#include "gslb/control/json.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::PathParameters;
using base::http::problem;
using base::http::Request;
using base::http::Response;

json::array keys_to_json(const KeyView& view) {
    json::array out;
    for (const auto& key : view.book.keys) {
        const bool here =
            std::find(view.here.begin(), view.here.end(), key.tag()) != view.here.end();
        out.push_back(json::object{
            {"tag", key.tag()},
            {"role", zone::to_string(key.role)},
            {"state", zone::to_string(key.state)},
            {"created", key.created},
            {"since", key.since},
            {"here", here},
        });
    }
    return out;
}

json::value roll_to_json(const KeyView& view) {
    if (!view.book.roll) return nullptr;
    const auto& roll = *view.book.roll;
    json::object out{
        {"role", zone::to_string(roll.role)},
        {"old", roll.old_tag},
        {"new", roll.new_tag},
        {"step", zone::to_string(roll.step)},
        {"since", roll.since},
        {"automatic", roll.automatic},
        {"waits", zone::describe_wait(view.book, view.times, view.now)},
    };
    const auto at = zone::next_step_at(view.book, view.times);
    out["next_at"] = at ? json::value(*at) : json::value(nullptr);
    return out;
}

json::object to_json(const KeyView& view) {
    json::array ds;
    for (const auto& each : view.ds) ds.push_back(json::string(each));
    return {
        {"zone", view.book.zone.to_string()},
        {"serial", view.serial},
        {"served", view.is_served},
        {"keys", keys_to_json(view)},
        {"roll", roll_to_json(view)},
        {"ds", ds},
        {"refresh_at", view.refresh_at},
        {"variants", view.variants},
    };
}

std::optional<KeyView> find_view(const KeySeams& seams, const std::string& zone) {
    const auto name = wire::dns::parse_name(zone);
    if (!name) return std::nullopt;
    for (auto& view : seams.list())
        if (view.book.zone == *name) return std::move(view);
    return std::nullopt;
}

Response unknown(const std::string& zone) {
    return problem(404, "Unknown zone", "no zone '" + zone + "' is signed here");
}

/// The command that the body describes, or what is wrong with it.
std::variant<KeyCommand, std::string> read_command(KeyCommand::Kind kind, const Request& request) {
    KeyCommand out;
    out.kind = kind;
    boost::system::error_code failed;
    const auto body =
        request.body.empty() ? json::value(json::object()) : json::parse(request.body, failed);
    const auto* object = failed ? nullptr : body.if_object();
    if (!object) return "the body must be a JSON object";
    for (const auto& [key, value] : *object) {
        const bool is_flag = (key == "automatic" && kind == KeyCommand::Kind::roll) ||
                             (key == "ds_seen" && kind == KeyCommand::Kind::step);
        if (is_flag && value.is_bool()) {
            (key == "automatic" ? out.automatic : out.ds_seen) = value.get_bool();
        } else if (key == "role" && kind == KeyCommand::Kind::roll && value.is_string()) {
            const auto role =
                zone::parse_key_role({value.get_string().data(), value.get_string().size()});
            if (!role) return "'role' must be zsk, ksk or csk";
            out.role = *role;
        } else {
            return "'" + std::string(key) + "' is unknown or of the wrong kind";
        }
    }
    if (kind == KeyCommand::Kind::roll && !object->contains("role"))
        return "'role' must be zsk, ksk or csk";
    return out;
}

}  // namespace

Response list_keys(const KeySeams& seams) {
    json::array out;
    for (const auto& view : seams.list()) out.push_back(to_json(view));
    return json_answer({{"zones", out}});
}

Response show_keys(const KeySeams& seams, const PathParameters& parameters) {
    const auto view = find_view(seams, parameters["zone"]);
    if (!view) return unknown(parameters["zone"]);
    return json_answer(to_json(*view));
}

Response command_keys(
    const KeySeams& seams,
    KeyCommand::Kind kind,
    const Request& request,
    const PathParameters& parameters
) {
    const auto view = find_view(seams, parameters["zone"]);
    if (!view) return unknown(parameters["zone"]);
    const auto command = read_command(kind, request);
    if (const auto* wrong = std::get_if<std::string>(&command))
        return problem(422, "Wrong command", *wrong);
    const auto refusal = seams.command(view->book.zone, std::get<KeyCommand>(command));
    if (!refusal.empty()) return problem(409, "Refused", refusal);
    return show_keys(seams, parameters);
}

}  // namespace twinsite::gslb::control
