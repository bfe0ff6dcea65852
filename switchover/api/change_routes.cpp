// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/change_routes.hpp"

#include <array>
#include <functional>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "base/crypto/digest.hpp"
#include "base/http/router.hpp"
#include "switchover/api/json.hpp"
#include "switchover/api/requests.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;
using base::http::PathParameters;
using base::http::Request;
using base::http::Response;
using base::http::Router;

/// What is asked, for the audit.
struct Act {
    std::string action;
    std::string object;
};

/// Request, caller and place of the audit line of one change.
class Change {
public:
    Change(Context& context, const Caller& caller, Act act)
        : context_(context), caller_(caller), act_(std::move(act)) {}

    Response bad(const BadBody& wrong) const {
        note("refused", wrong.text);
        return refuse(422, "Wrong value", wrong.text, "bad-body");
    }
    Response refused(const Refusal& refusal) const {
        note("refused", refusal.rule + ": " + refusal.text);
        return refuse(refusal);
    }
    void done(const std::string& detail) const { note("done", detail); }
    void name(std::string object) { act_.object = std::move(object); }

    Backend& backend() const { return context_.backend; }
    Actor actor() const { return caller_.actor(); }
    const Caller& caller() const { return caller_; }
    std::int64_t wall_ms() const { return context_.now().wall_ms; }

private:
    void note(const char* result, const std::string& detail) const {
        context_.audit.write(actor(), act_.action, act_.object, result, detail);
    }

    Context& context_;
    const Caller& caller_;
    Act act_;
};

Response set_mode(const Change& change, const Request& request, const std::string& scenario) {
    const auto wanted = decode_mode(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted)) return change.bad(*wrong);
    const auto& body = std::get<ModeRequest>(wanted);
    const auto outcome =
        change.backend().set_mode(change.actor(), scenario, body.mode, body.reason);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return change.refused(*refusal);
    change.done(body.mode + (body.reason.empty() ? "" : ": " + body.reason));
    for (const auto& summary : change.backend().scenarios())
        if (summary.name == scenario) return json_answer(to_json(summary));
    return json_answer({{"name", scenario}, {"mode", body.mode}});
}

Response set_pause(const Change& change, const Request& request) {
    const auto wanted = decode_pause(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted)) return change.bad(*wrong);
    const auto& body = std::get<PauseRequest>(wanted);
    std::optional<std::int64_t> until;
    if (body.until_s) until = change.wall_ms() + static_cast<std::int64_t>(*body.until_s) * 1'000;
    const auto outcome = change.backend().pause(change.actor(), body.reason, until);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return change.refused(*refusal);
    change.done(body.reason + (until ? ", until " + format_wall(*until) : ""));
    return json_answer(
        {{"by", change.caller().who},
         {"reason", body.reason},
         {"until_wall", until ? json::value(format_wall(*until)) : json::value(nullptr)}}
    );
}

Response clear_pause(const Change& change) {
    const auto outcome = change.backend().unpause(change.actor());
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return change.refused(*refusal);
    change.done("");
    return json_answer({{"pause", nullptr}});
}

Response start_run(Change& change, const Request& request) {
    auto wanted = decode_run_request(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted)) return change.bad(*wrong);
    auto& body = std::get<RunRequest>(wanted);
    change.name(body.scenario);
    if (const auto* key = base::http::find_header(request.headers, "Idempotency-Key")) {
        if (!is_idempotency_key(*key))
            return change.bad({"Idempotency-Key must have 1 to 128 printable characters"});
        body.idempotency_key = change.caller().who + "/" + *key;
        body.digest = base::crypto::sha256_hex(request.body);
    }
    const auto outcome = change.backend().start_run(change.actor(), body);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return change.refused(*refusal);
    const auto& run = std::get<RunView>(outcome);
    std::string detail = run.id;
    if (!body.reason.empty()) detail += ": " + body.reason;
    for (const auto& one : body.overrides) detail += "; overrides " + one.rule + ": " + one.reason;
    change.done(detail);
    auto out = json_answer(to_json(run, Detail::full), 201);
    out.headers.emplace_back("Location", "/api/v1/runs/" + base::http::percent_encode(run.id));
    return out;
}

Response order_run(const Change& change, const Request& request, RunOrder order) {
    const auto wanted = decode_order(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted)) return change.bad(*wrong);
    const auto& body = std::get<OrderRequest>(wanted);
    if (order.verb == RunVerb::answer && body.answer.empty())
        return change.bad({"'answer' must be yes or no"});
    order.reason = body.reason;
    order.step = body.step;
    order.answer = body.answer;
    const auto outcome = change.backend().order_run(change.actor(), order);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return change.refused(*refusal);
    std::string detail = body.step.empty() ? "" : "step " + body.step;
    for (const auto& part : {body.answer, body.reason})
        if (!part.empty()) detail += (detail.empty() ? "" : ": ") + part;
    change.done(detail);
    return json_answer(to_json(std::get<RunView>(outcome), Detail::full));
}

using Handle = std::function<Response(Change&, const Request&, const PathParameters&)>;
/// What the audit calls the object of a request.
using ObjectOf = std::function<std::string(const PathParameters&)>;

/// Only those who may change something get to `handle`.
void add_change(
    Router& router,
    Context& context,
    const Authenticate& authenticate,
    const char* method,
    const std::string& path,
    const std::string& action,
    const ObjectOf& object_of,
    const Handle& handle
) {
    router
        .add(method, path, [=, &context](const Request& request, const PathParameters& parameters) {
            auto found = authenticate(request);
            if (auto* refused = std::get_if<Response>(&found)) return std::move(*refused);
            const auto& caller = std::get<Caller>(found);
            const auto object = object_of(parameters);
            if (!may_change(caller.role)) {
                context.audit.write_refusal_sometimes(
                    caller.actor(), action, object, "role: a viewer", context.now().now
                );
                return refuse(403, "Forbidden", "a viewer changes nothing", "role");
            }
            Change change(context, caller, {action, object});
            return handle(change, request, parameters);
        });
}

constexpr std::array<std::pair<const char*, RunVerb>, 6> kVerbs = {{
    {"pause", RunVerb::pause},
    {"resume", RunVerb::resume},
    {"abort", RunVerb::abort},
    {"retry", RunVerb::retry},
    {"skip", RunVerb::skip},
    {"answer", RunVerb::answer},
}};

}  // namespace

void add_change_routes(Router& router, Context& context, const Authenticate& authenticate) {
    const auto add = [&](const char* method,
                         const std::string& path,
                         const std::string& action,
                         const ObjectOf& object_of,
                         const Handle& handle) {
        add_change(
            router, context, authenticate, method, "/api/v1/" + path, action, object_of, handle
        );
    };
    const ObjectOf nothing = [](const PathParameters&) { return std::string(); };
    const ObjectOf name = [](const PathParameters& parameters) { return parameters["name"]; };
    const ObjectOf id = [](const PathParameters& parameters) { return parameters["id"]; };
    add("PUT",
        "scenarios/{name}/mode",
        "mode.set",
        name,
        [](Change& change, const Request& request, const PathParameters& parameters) {
            return set_mode(change, request, parameters["name"]);
        });
    add("PUT",
        "pause",
        "pause.set",
        nothing,
        [](Change& change, const Request& request, const PathParameters&) {
            return set_pause(change, request);
        });
    add("DELETE",
        "pause",
        "pause.clear",
        nothing,
        [](Change& change, const Request&, const PathParameters&) { return clear_pause(change); });
    add("POST",
        "runs",
        "run.start",
        nothing,
        [](Change& change, const Request& request, const PathParameters&) {
            return start_run(change, request);
        });
    for (const auto& [word, verb] : kVerbs)
        add("POST",
            std::string("runs/{id}/") + word,
            std::string("run.") + word,
            id,
            [which =
                 verb](Change& change, const Request& request, const PathParameters& parameters) {
                RunOrder order;
                order.run = parameters["id"];
                order.verb = which;
                return order_run(change, request, std::move(order));
            });
}

}  // namespace twinsite::switchover::api
