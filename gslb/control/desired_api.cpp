// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/desired_api.hpp"

#include <boost/json.hpp>

#include "gslb/control/json.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::problem;
using base::http::Request;
using base::http::Response;

json::array objects_to_json(const Directives& directives) {
    json::array out;
    for (const auto& each : directives.desired().objects)
        out.push_back(json::object{
            {"object", each.object},
            {"state", each.state},
            {"reason", each.reason},
            {"since", each.since},
        });
    return out;
}

json::array sites_to_json(const Helm& helm) {
    json::array out;
    for (const auto& view : helm.site_views())
        out.push_back(json::object{
            {"site", view.site},
            {"service", view.service},
            {"health", steering::to_string(view.health)},
            {"control", view.control},
            {"override", view.override_},
            {"answering", view.answering},
        });
    return out;
}

Response malformed(const ApiSeams& seams, const Request& request, const std::string& detail) {
    note_refusal(seams.refusals, RefusalCause::malformed, request, detail);
    return problem(422, "Wrong wanted state", detail);
}

Response refuse(const ApiSeams& seams, const Request& request, const Helm::Stale& stale) {
    const auto text = "a server with fence " + to_string(stale.highest) + " has spoken already";
    note_refusal(seams.refusals, RefusalCause::stale_fence, request, text);
    const auto highest = json::serialize(wire::contract::to_json(stale.highest));
    return problem(409, "stale fence", text, "\"highest\":" + highest);
}

Response refuse(const ApiSeams& seams, const Request& request, const Refusal& refusal) {
    note_refusal(seams.refusals, RefusalCause::last_site, request, refusal.text);
    return problem(409, "last site", refusal.text + "; the list before stays in force");
}

Response answer(const Helm& helm, const Helm::Desired& done) {
    if (!done.kept)
        return problem(
            500, "Not saved", "the list is in force, but could not be stored; send it again"
        );
    const auto& desired = helm.control().directives.desired();
    return json_answer({
        {"fence", wire::contract::to_json(desired.fence)},
        {"objects", desired.objects.size()},
        {"changed", done.changed},
        {"unknown", to_json(done.unknown)},
        {"health", sites_to_json(helm)},
    });
}

}  // namespace

Response show_desired(const Helm& helm, const ApiSeams& seams) {
    const auto& directives = helm.control().directives;
    json::object out{
        {"fence", wire::contract::to_json(helm.fence())},
        {"server", directives.desired().server},
        {"objects", objects_to_json(directives)},
        {"received_age_ms", nullptr},
        {"sites", sites_to_json(helm)},
    };
    if (const auto heard = helm.heard_control()) {
        const auto age = seams.now().monotonic - *heard;
        out["received_age_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
    }
    return json_answer(out);
}

Response put_desired(Helm& helm, const ApiSeams& seams, const Request& request) {
    auto desired = wire::contract::decode_desired(request.body);
    if (!desired) {
        const auto text = "the body " + desired.error().message();
        if (desired.error() != wire::contract::Errc::not_json)
            return malformed(seams, request, desired.error().message());
        note_refusal(seams.refusals, RefusalCause::malformed, request, text);
        return problem(400, "Not JSON", text);
    }
    if (wire::contract::parse_identity(request.peer_identity))
        desired->server = request.peer_identity;
    auto wanted = Directives::read(*std::move(desired));
    if (const auto* wrong = std::get_if<std::string>(&wanted))
        return malformed(seams, request, *wrong);
    const auto outcome = helm.set_desired(std::get<Directives>(std::move(wanted)), seams.now());
    if (const auto* stale = std::get_if<Helm::Stale>(&outcome))
        return refuse(seams, request, *stale);
    if (const auto* refusal = std::get_if<Refusal>(&outcome))
        return refuse(seams, request, *refusal);
    return answer(helm, std::get<Helm::Desired>(outcome));
}

}  // namespace twinsite::gslb::control
