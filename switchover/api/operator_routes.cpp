// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/operator_routes.hpp"

#include <functional>
#include <string>

#include <boost/json.hpp>

#include "base/http/router.hpp"
#include "base/metrics/openmetrics.hpp"
#include "switchover/api/change_routes.hpp"
#include "switchover/api/host_json.hpp"
#include "switchover/api/json.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;
using base::http::find_query;
using base::http::PathParameters;
using base::http::Request;
using base::http::Response;
using base::http::Router;

constexpr std::uint64_t kMostHosts = 10'000;
constexpr std::uint64_t kUsualHosts = 2'000;
constexpr std::uint64_t kMostRuns = 200;
constexpr std::uint64_t kUsualRuns = 50;
constexpr std::uint64_t kMostEntries = 1'000;
constexpr std::uint64_t kUsualEntries = 200;
constexpr std::uint64_t kHourSeconds = 3'600;
constexpr std::uint64_t kWeekSeconds = 7 * 24 * kHourSeconds;
constexpr std::size_t kMetricBytes = 320;

Response not_found(const std::string& what) {
    return refuse(404, "Not found", "there is no " + what, "not-found");
}

Response bad_query(const std::string& text) {
    return refuse(422, "Wrong parameter", text, "bad-query");
}

template <class Item>
json::array list(const std::vector<Item>& items) {
    json::array out;
    out.reserve(items.size());
    for (const auto& item : items) out.push_back(to_json(item));
    return out;
}

Response overview(Context& context) {
    return json_answer(to_json(context.backend.overview(), context.now().wall_ms));
}

/// All hosts, or those of a site or kind; `limit` and `offset` for long lists.
Response hosts(Context& context, const Request& request) {
    const auto limit = query_number(request, "limit", 1, kMostHosts, kUsualHosts);
    const auto offset = query_number(request, "offset", 0, kMostHosts * 100, 0);
    if (!limit || !offset) return bad_query("'limit' must be 1 to 10000, 'offset' a number");
    const auto site = find_query(request, "site");
    const auto kind = find_query(request, "kind");
    const auto now = context.now().now;
    json::array out;
    std::uint64_t total = 0;
    for (const auto& host : context.fleet.hosts()) {
        if ((site && host.site != *site) || (kind && host.kind != *kind)) continue;
        if (total++ >= *offset && out.size() < *limit)
            out.push_back(host_json(host, context.backend, now));
    }
    return json_answer({{"hosts", std::move(out)}, {"total", total}});
}

const fleet::Host* find_host(Context& context, const PathParameters& parameters) {
    return context.fleet.find_host(wire::contract::host_id(parameters["site"], parameters["name"]));
}

Response host(Context& context, const PathParameters& parameters) {
    const auto* found = find_host(context, parameters);
    if (!found) return not_found("host of this name");
    return json_answer(host_json(*found, context.backend, context.now().now));
}

Response history(Context& context, const Request& request, const PathParameters& parameters) {
    const auto* found = find_host(context, parameters);
    if (!found) return not_found("host of this name");
    const auto metric = find_query(request, "metric").value_or("");
    if (metric.empty() || metric.size() > kMetricBytes)
        return bad_query("'metric' must name a metric, like cpu.idle");
    const auto since = query_number(request, "since_s", 1, kWeekSeconds, kHourSeconds);
    if (!since) return bad_query("'since_s' must be 1 to 604800");
    const auto from = context.now().wall_ms - static_cast<std::int64_t>(*since) * 1'000;
    const auto points = context.backend.history(found->id, metric, from);
    if (!points) return not_available(points.error());
    json::array out;
    out.reserve(points->size());
    for (const auto& [wall_ms, value] : *points) out.push_back(json::array{wall_ms, value});
    return json_answer({{"metric", metric}, {"points", std::move(out)}});
}

Response scenario(Context& context, const PathParameters& parameters) {
    const auto found = context.backend.scenario(parameters["name"]);
    if (!found) return not_found("scenario of this name");
    return json_answer(to_json(*found));
}

Response why(Context& context, const PathParameters& parameters) {
    const auto found = context.backend.why(parameters["name"]);
    if (!found) return not_found("scenario of this name");
    return json_answer(to_json(*found));
}

Response runs(Context& context, const Request& request) {
    const auto limit = query_number(request, "limit", 1, kMostRuns, kUsualRuns);
    if (!limit) return bad_query("'limit' must be 1 to 200");
    const auto before = find_query(request, "before").value_or("");
    const auto found = context.backend.runs(*limit, before);
    if (!found) return not_available(found.error());
    json::array out;
    for (const auto& run : *found) out.push_back(to_json(run, Detail::summary));
    return json_answer({{"runs", std::move(out)}});
}

Response run(Context& context, const PathParameters& parameters) {
    const auto found = context.backend.run(parameters["id"]);
    if (!found) return not_available(found.error());
    if (!*found) return not_found("run of this id");
    return json_answer(to_json(**found, Detail::full));
}

/// Lines after `after`; without it the last ones.
Response audit(Context& context, const Request& request) {
    const auto limit = query_number(request, "limit", 1, kMostEntries, kUsualEntries);
    const auto last = context.backend.audit_last();
    if (!last) return not_available(last.error());
    if (!limit) return bad_query("'limit' must be 1 to 1000");
    const auto usual = *last > *limit ? *last - *limit : 0;
    const auto after = query_number(request, "after", 0, ~std::uint64_t{0}, usual);
    if (!after) return bad_query("'after' must be a number");
    const auto entries = context.backend.audit_entries(*after, *limit);
    if (!entries) return not_available(entries.error());
    return json_answer({{"entries", list(*entries)}, {"last", *last}});
}

Response verify_audit(Context& context) {
    const auto checked = context.backend.verify_audit();
    if (!checked) return not_available(checked.error());
    json::object out{
        {"ok", !checked->first_bad}, {"entries", checked->entries}, {"first_bad", nullptr}
    };
    if (checked->first_bad) out["first_bad"] = *checked->first_bad;
    return json_answer(out);
}

Response metrics(Context& context) {
    Response out;
    out.content_type = base::metrics::Writer::kContentType;
    out.body = context.backend.metrics();
    return out;
}

using View = std::function<Response(const Request&, const PathParameters&)>;

void add_view(
    Router& router, const std::string& path, const Authenticate& authenticate, View view
) {
    router.add(
        "GET",
        path,
        [authenticate,
         view = std::move(view)](const Request& request, const PathParameters& parameters) {
            auto caller = authenticate(request);
            if (auto* refused = std::get_if<Response>(&caller)) return std::move(*refused);
            return view(request, parameters);
        }
    );
}

}  // namespace

void add_operator_routes(Router& router, Context& context, const Authenticate& authenticate) {
    const auto add = [&](const char* path, View view) {
        add_view(router, std::string("/api/v1/") + path, authenticate, std::move(view));
    };
    add("overview", [&context](const auto&, const auto&) { return overview(context); });
    add("hosts", [&context](const auto& request, const auto&) { return hosts(context, request); });
    add("hosts/{site}/{name}",
        [&context](const auto&, const auto& parameters) { return host(context, parameters); });
    add("hosts/{site}/{name}/history", [&context](const auto& request, const auto& parameters) {
        return history(context, request, parameters);
    });
    add("scenarios", [&context](const auto&, const auto&) {
        return json_answer({{"scenarios", list(context.backend.scenarios())}});
    });
    add("scenarios/{name}",
        [&context](const auto&, const auto& parameters) { return scenario(context, parameters); });
    add("scenarios/{name}/why",
        [&context](const auto&, const auto& parameters) { return why(context, parameters); });
    add("runs", [&context](const auto& request, const auto&) { return runs(context, request); });
    add("runs/{id}",
        [&context](const auto&, const auto& parameters) { return run(context, parameters); });
    add("alarms", [&context](const auto&, const auto&) {
        return json_answer({{"alarms", list(context.backend.alarms())}});
    });
    add("audit", [&context](const auto& request, const auto&) { return audit(context, request); });
    add("audit/verify", [&context](const auto&, const auto&) { return verify_audit(context); });
    add("metrics", [&context](const auto&, const auto&) { return metrics(context); });
    add_view(router, "/metrics", authenticate, [&context](const auto&, const auto&) {
        return metrics(context);
    });
    add_change_routes(router, context, authenticate);
}

void add_state_routes(Router& router, Context& context, const Authenticate& authenticate) {
    router.add("GET", "/healthz", [](const Request&, const PathParameters&) {
        return json_answer({{"status", "ok"}});
    });
    add_view(router, "/readyz", authenticate, [&context](const auto&, const auto&) {
        const auto why_not = context.backend.not_ready();
        if (!why_not.empty()) return refuse(503, "Not ready", why_not, "not-ready");
        return json_answer({{"status", "ready"}});
    });
    add_view(router, "/leader", authenticate, [&context](const auto&, const auto&) {
        if (!context.backend.is_leader())
            return refuse(503, "Not the leader", "another server leads, or none", "leader");
        return json_answer({{"status", "leader"}});
    });
}

}  // namespace twinsite::switchover::api
