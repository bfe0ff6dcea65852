// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/simulate_api.hpp"

#include <array>

#include <boost/json.hpp>

#include "base/text/text.hpp"
#include "gslb/control/group_json.hpp"
#include "gslb/control/intent_api.hpp"
#include "gslb/control/json.hpp"
#include "gslb/control/simulate.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::find_query;
using base::http::problem;
using base::http::Request;
using base::http::Response;

/// Bounds the answer; a larger configuration is asked name by name.
constexpr std::size_t kMostAnswers = 20'000;

std::vector<std::string> list_in(const Request& request, const char* key) {
    std::vector<std::string> out;
    const auto text = find_query(request, key).value_or("");
    for (const auto part : base::text::split(text, ','))
        if (const auto word = base::text::trim(part); !word.empty()) out.emplace_back(word);
    return out;
}

std::vector<std::string> objects_of(const steering::Steering& steering) {
    auto out = steering.sites;
    for (const auto& service : steering.services) {
        out.push_back(service.name);
        for (const auto& target : service.targets)
            out.push_back(target_id(service.name, target.name));
    }
    return out;
}

Response unknown(const std::string& object, const steering::Steering& steering) {
    return problem(
        404,
        "Unknown object",
        "there is no site, service or target '" + base::text::printable(object) + "'",
        "\"candidates\":" +
            json::serialize(to_json(base::text::nearest(object, objects_of(steering))))
    );
}

json::array changes_json(const std::vector<AnswerChange>& changes) {
    json::array out;
    for (const auto& change : changes) {
        if (out.size() == kMostAnswers) break;
        out.push_back(json::object{
            {"owner", change.owner},
            {"type", change.type},
            {"before", change.before},
            {"after", change.after},
        });
    }
    return out;
}

/// The owner asked for as policies write it, "" for all; nullopt when it is not steered.
std::optional<std::string> owner_in(const Request& request, const steering::Steering& steering) {
    const auto text = find_query(request, "name").value_or("");
    if (text.empty()) return "";
    const auto name = wire::dns::parse_name(text);
    if (!name) return std::nullopt;
    for (const auto& policy : steering.policies)
        if (wire::dns::parse_name(policy.owner) == *name) return policy.owner;
    return std::nullopt;
}

}  // namespace

Response simulate(const Helm& helm, const Request& request) {
    const auto& setup = helm.setup();
    const auto owner = owner_in(request, *setup.steering);
    if (!owner)
        return problem(404, "Unknown name", "parameter 'name' must be the name of a policy");
    const Supposition what{
        list_in(request, "down"), list_in(request, "up"), list_in(request, "drain")
    };
    const auto states = suppose(*setup.steering, helm.states(), what);
    if (const auto* object = std::get_if<std::string>(&states))
        return unknown(*object, *setup.steering);
    const auto& facts = helm.measurements().facts();
    const auto now = answer_classes(*setup.steering, *setup.prefixes, helm.states(), facts, *owner);
    const auto then = answer_classes(
        *setup.steering, *setup.prefixes, std::get<answer::ServiceStates>(states), facts, *owner
    );
    json::array answers;
    for (const auto& answer : then) {
        if (answers.size() == kMostAnswers) break;
        answers.push_back(to_json(answer));
    }
    const auto changes = compare_answers(now, then);
    return json_answer(
        {{"snapshot", helm.snapshot().version()},
         {"down", to_json(what.down)},
         {"up", to_json(what.up)},
         {"drain", to_json(what.drain)},
         {"left_out", then.size() - answers.size()},
         {"answers", std::move(answers)},
         {"changes", changes_json(changes)},
         {"changed", changes.size()}}
    );
}

}  // namespace twinsite::gslb::control
