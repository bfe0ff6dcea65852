// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/api.hpp"

#include <boost/json.hpp>

#include "base/text/text.hpp"
#include "gslb/control/desired_api.hpp"
#include "gslb/control/json.hpp"
#include "gslb/control/metrics.hpp"
#include "gslb/control/override_request.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::find_query;
using base::http::PathParameters;
using base::http::problem;
using base::http::Request;
using base::http::Response;
using base::http::Router;

Response stopping() {
    return problem(503, "Stopping", "the program is stopping");
}

/// `handler` as it runs on the helm's thread.
template <class Handler>
base::http::Handler on_helm(const ApiSeams& seams, Handler handler) {
    return [&seams, handler](const Request& request, const PathParameters& parameters) {
        Response out;
        if (!seams.on_helm([&] { out = handler(request, parameters); })) return stopping();
        return out;
    };
}

Response answer_refusal(const Refusal& refusal) {
    if (refusal.cause == Refusal::Cause::last_site)
        return problem(
            409, "Refused by a safety rule", refusal.text + "; use force to do it all the same"
        );
    return problem(
        404,
        "Unknown object",
        refusal.text,
        "\"candidates\":" + json::serialize(to_json(refusal.candidates))
    );
}

Response status(const Helm& helm, const ApiSeams& seams) {
    return json_answer(
        {{"node", helm.setup().node},
         {"site", helm.setup().site},
         {"version", TWINSITE_VERSION},
         {"ready", seams.not_ready().empty()},
         {"snapshot", helm.snapshot().version()},
         {"uptime_s", seams.uptime().count()},
         {"zones", zones_to_json(helm.snapshot().index())},
         {"services", services_to_json(helm)},
         {"overrides", helm.overrides().entries().size()}}
    );
}

/// The first wrong parameter as a sentence, or the question.
std::variant<ExplainQuestion, std::string> read_question(const Request& request) {
    ExplainQuestion out;
    const auto name = find_query(request, "name");
    const auto parsed = name ? wire::dns::parse_name(*name) : wire::dns::parse_name("");
    if (!parsed) return "parameter 'name' must be a domain name";
    out.name = *parsed;
    if (const auto text = find_query(request, "type"); text && !text->empty()) {
        const auto type = wire::dns::parse_type(*text);
        if (!type) return "parameter 'type' must be a record type, not '" + *text + "'";
        out.type = *type;
    }
    const auto client = find_query(request, "client").value_or("");
    const auto address = base::text::parse_ip(client.empty() ? "127.0.0.1" : client);
    if (!address) return "parameter 'client' must be an address, not '" + client + "'";
    out.client = *address;
    if (const auto text = find_query(request, "subnet"); text && !text->empty()) {
        out.subnet = base::text::parse_prefix(*text);
        if (!out.subnet)
            return "parameter 'subnet' must be a network such as 10.1.0.0/16 without bits beyond "
                   "its length, not '" +
                   *text + "'";
    }
    return out;
}

Response explain(const Helm& helm, const ApiSeams& seams, const Request& request) {
    const auto question = read_question(request);
    if (const auto* wrong = std::get_if<std::string>(&question))
        return problem(422, "Wrong parameter", *wrong);
    return json_answer(to_json(helm.explain(std::get<ExplainQuestion>(question), seams.now())));
}

Response stats(const Helm& helm, const ApiSeams& seams) {
    json::object counters;
    for (const auto& [name, value] : seams.counters()) counters[name] = value;
    return json_answer(
        {{"node", helm.setup().node},
         {"uptime_s", seams.uptime().count()},
         {"snapshot", helm.snapshot().version()},
         {"queries", counters}}
    );
}

Response list_overrides(const Helm& helm, const ApiSeams& seams) {
    json::array out;
    for (const auto& entry : helm.overrides().entries()) out.push_back(to_json(entry, seams.now()));
    return json_answer({{"overrides", out}});
}

Response set_override(
    Helm& helm, const ApiSeams& seams, const Request& request, const PathParameters& parameters
) {
    const auto now = seams.now();
    const OverrideKey key{parameters["service"], parameters["object"]};
    auto wanted = read_override(key, request, now);
    if (auto* wrong = std::get_if<Response>(&wanted)) return std::move(*wrong);
    auto& entry = std::get<OverrideRequest>(wanted);
    const auto json_entry = to_json(entry.entry, now);
    const auto outcome = helm.set_override(std::move(entry.entry), entry.force);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return answer_refusal(*refusal);
    return json_answer(
        {{"override", json_entry},
         {"snapshot", helm.snapshot().version()},
         {"kept_on_disk", std::get<Helm::Done>(outcome).kept}}
    );
}

Response clear_override(Helm& helm, const Request& request, const PathParameters& parameters) {
    const OverrideKey key{parameters["service"], parameters["object"]};
    const auto outcome = helm.clear_override(key, find_query(request, "force") == "1");
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) return answer_refusal(*refusal);
    const auto& done = std::get<Helm::Done>(outcome);
    if (!done.changed)
        return problem(
            404, "No override", "there is no override of " + key.object + " in " + key.service
        );
    return json_answer({{"snapshot", helm.snapshot().version()}, {"kept_on_disk", done.kept}});
}

Response reload(const ApiSeams& seams) {
    ReloadOutcome outcome;
    if (!seams.reload(outcome)) return stopping();
    if (outcome.still_reading) {
        auto out = json_answer({{"state", "still reading"}});
        out.status = 202;
        return out;
    }
    if (outcome.findings.empty()) return json_answer({{"snapshot", outcome.snapshot}});
    return problem(
        422,
        "Configuration refused",
        "the old configuration stays in force",
        "\"snapshot\":" + std::to_string(outcome.snapshot) +
            ",\"findings\":" + json::serialize(to_json(outcome.findings))
    );
}

}  // namespace

void add_status_routes(Router& router, Helm& helm, const ApiSeams& seams, const Gate& gate) {
    const auto add = [&](const char* pattern, base::http::Handler handler) {
        router.add("GET", pattern, gate("GET", pattern, std::move(handler)));
    };
    add("/healthz",
        [](const Request&, const PathParameters&) { return json_answer({{"status", "ok"}}); });
    add("/readyz", on_helm(seams, [&](const Request&, const PathParameters&) {
            const auto reason = seams.not_ready();
            if (!reason.empty()) return problem(503, "Not ready", reason);
            return json_answer({{"status", "ready"}});
        }));
    add("/metrics", on_helm(seams, [&](const Request&, const PathParameters&) {
            return write_metrics(helm, seams);
        }));
}

void add_api_routes(Router& router, Helm& helm, const ApiSeams& seams, const Gate& gate) {
    add_status_routes(router, helm, seams, gate);
    const auto add = [&](const char* method, const char* path, auto handler) {
        const auto pattern = std::string("/api/v1/") + path;
        router.add(method, pattern, gate(method, pattern, on_helm(seams, handler)));
    };
    add("GET", "status", [&](const auto&, const auto&) { return status(helm, seams); });
    add("GET", "explain", [&](const auto& request, const auto&) {
        return explain(helm, seams, request);
    });
    add("GET", "stats", [&](const auto&, const auto&) { return stats(helm, seams); });
    add("GET", "desired", [&](const auto&, const auto&) { return show_desired(helm, seams); });
    add("PUT", "desired", [&](const auto& request, const auto&) {
        return put_desired(helm, seams, request);
    });
    add("GET", "overrides", [&](const auto&, const auto&) { return list_overrides(helm, seams); });
    add("PUT", "overrides/{service}/{object}", [&](const auto& request, const auto& parameters) {
        return set_override(helm, seams, request, parameters);
    });
    add("DELETE", "overrides/{service}/{object}", [&](const auto& request, const auto& parameters) {
        return clear_override(helm, request, parameters);
    });
    const auto reload_it = [&seams](const Request&, const PathParameters&) {
        return reload(seams);
    };
    router.add("POST", "/api/v1/reload", gate("POST", "/api/v1/reload", reload_it));
}

}  // namespace twinsite::gslb::control
