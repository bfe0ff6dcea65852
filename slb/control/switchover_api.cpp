// SPDX-License-Identifier: Apache-2.0
#include "slb/control/switchover_api.hpp"

#include <boost/json.hpp>

#include "base/log/log.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::slb::control {

namespace json = boost::json;
namespace log = base::log;
using base::http::PathParameters;
using base::http::problem;
using base::http::Request;
using base::http::Response;

namespace {

Response body(const json::object& value, unsigned status = 200) {
    Response out;
    out.status = status;
    out.body = json::serialize(value) + "\n";
    return out;
}

Response malformed(
    Backend& backend, const Request& request, unsigned status, const std::string& text
) {
    note_refusal(backend.refusals(), RefusalCause::malformed, request, text);
    return problem(status, status == 400 ? "Not JSON" : "Wrong request", text);
}

Response stale(Backend& backend, const Request& request, const ControlState::Stale& what) {
    const auto text = "a server with fence " + to_string(what.highest) + " has spoken already";
    note_refusal(backend.refusals(), RefusalCause::stale_fence, request, text);
    const auto highest = json::serialize(wire::contract::to_json(what.highest));
    return problem(409, "stale fence", text, "\"highest\":" + highest);
}

Response not_saved() {
    return problem(500, "Not saved", "it is in force, but could not be stored; send it again");
}

json::array to_array(const std::vector<std::string>& texts) {
    json::array out;
    for (const auto& text : texts) out.emplace_back(text);
    return out;
}

// Wanted state -----------------------------------------------------------------------------------

Response show_desired(Backend& backend) {
    const auto& state = backend.control();
    const auto status = backend.status();
    json::array objects;
    for (const auto& each : state.blades().desired().objects)
        objects.push_back(json::object{
            {"object", each.object},
            {"state", each.state},
            {"reason", each.reason},
            {"since", each.since},
        });
    std::size_t active = 0;
    for (const auto& blade : status.blades)
        active += blade.link == "open" && !blade.draining ? 1 : 0;
    json::object out{
        {"fence", wire::contract::to_json(state.fence())},
        {"server", state.blades().desired().server},
        {"objects", std::move(objects)},
        {"received_age_ms", nullptr},
        {"ready", status.ready()},
        {"blades", json::object{{"active", active}, {"total", status.blades.size()}}},
        {"clients", status.clients},
    };
    if (const auto heard = state.heard()) {
        const auto age = backend.now() - *heard;
        out["received_age_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
    }
    return body(out);
}

Response put_desired(Backend& backend, const Request& request) {
    auto desired = wire::contract::decode_desired(request.body);
    if (!desired) {
        const bool json = desired.error() != wire::contract::Errc::not_json;
        return malformed(
            backend, request, json ? 422 : 400, "the body: " + desired.error().message()
        );
    }
    // The certificate is believed, not the body.
    if (wire::contract::parse_identity(request.peer_identity))
        desired->server = request.peer_identity;
    auto wanted = BladeControl::read(*std::move(desired));
    if (const auto* wrong = std::get_if<std::string>(&wanted))
        return malformed(backend, request, 422, *wrong);
    auto& state = backend.control();
    const auto outcome = state.take(std::get<BladeControl>(std::move(wanted)), backend.now());
    if (const auto* low = std::get_if<ControlState::Stale>(&outcome))
        return stale(backend, request, *low);
    const auto& taken = std::get<ControlState::Taken>(outcome);
    if (!taken.kept) return not_saved();
    const auto blades = backend.changes().apply(backend.configured());
    return body({
        {"fence", wire::contract::to_json(state.fence())},
        {"objects", state.blades().desired().objects.size()},
        {"changed", taken.changed},
        {"unknown", to_array(state.blades().find_unknown(blades))},
    });
}

// Release ----------------------------------------------------------------------------------------

Response accepted(const Releases::Entry& entry) {
    return body({{"op_id", entry.op_id}, {"clients", entry.clients}}, 202);
}

Response show_release(Backend& backend) {
    const auto status = backend.release_status();
    const auto* last = backend.releases().last();
    return body({
        {"op_id", last == nullptr ? std::string() : last->op_id},
        {"state", proxy::to_string(status.state)},
        {"released", status.released},
        {"total", status.total},
    });
}

Response start_release(Backend& backend, const Request& request) {
    const auto read = read_release(request.body);
    if (const auto* bad = std::get_if<BadRelease>(&read))
        return malformed(backend, request, bad->is_json ? 422 : 400, bad->text);
    const auto& wanted = std::get<ReleaseRequest>(read);
    const auto fence = backend.control().check(wanted.fence);
    if (const auto* low = std::get_if<ControlState::Stale>(&fence))
        return stale(backend, request, *low);
    if (!std::get<ControlState::Taken>(fence).kept)
        return problem(500, "Not saved", "the fence could not be stored; nothing was done");
    auto& releases = backend.releases();
    if (const auto* known = releases.find(wanted.op_id)) return accepted(*known);
    if (backend.release_status().state == proxy::ReleaseStatus::State::running)
        return problem(
            409, "Release running", "release " + releases.last()->op_id + " runs; stop it first"
        );
    releases.add(wanted.op_id, backend.start_release(wanted.per_second));
    log::event(
        log::Level::info,
        "release_started",
        {{"op_id", wanted.op_id},
         {"by", request.peer_identity},
         {"clients", releases.last()->clients},
         {"rate_per_s", wanted.per_second}}
    );
    return accepted(*releases.last());
}

Response stop_release(Backend& backend, const Request& request) {
    const auto read = read_stop(request.body);
    if (const auto* bad = std::get_if<BadRelease>(&read))
        return malformed(backend, request, bad->is_json ? 422 : 400, bad->text);
    if (const auto& given = std::get<0>(read)) {
        const auto fence = backend.control().check(*given);
        if (const auto* low = std::get_if<ControlState::Stale>(&fence))
            return stale(backend, request, *low);
    }
    backend.stop_release();
    const auto* last = backend.releases().last();
    log::event(
        log::Level::info,
        "release_stopped",
        {{"op_id", last == nullptr ? std::string() : last->op_id}, {"by", request.peer_identity}}
    );
    return show_release(backend);
}

}  // namespace

void add_switchover_routes(base::http::Router& router, Backend& backend, const Gate& gate) {
    const auto add = [&](const char* method, const char* pattern, auto handler) {
        router.add(
            method,
            pattern,
            gate(
                method,
                pattern,
                [&backend, handler](const Request& request, const PathParameters&) {
                    return handler(backend, request);
                }
            )
        );
    };
    const auto show = [](auto function) {
        return [function](Backend& of, const Request&) { return function(of); };
    };
    add("GET", "/api/v1/desired", show(show_desired));
    add("PUT", "/api/v1/desired", put_desired);
    add("GET", "/api/v1/release", show(show_release));
    add("POST", "/api/v1/release", start_release);
    add("DELETE", "/api/v1/release", stop_release);
}

}  // namespace twinsite::slb::control
