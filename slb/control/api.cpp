// SPDX-License-Identifier: Apache-2.0
#include "slb/control/api.hpp"

#include <algorithm>
#include <optional>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/log/log.hpp"
#include "base/metrics/openmetrics.hpp"
#include "base/text/text.hpp"
#include "slb/control/json.hpp"
#include "slb/control/metrics.hpp"
#include "slb/control/switchover_api.hpp"

namespace twinsite::slb::control {

using base::http::PathParameters;
using base::http::problem;
using base::http::Request;
using base::http::Response;
namespace log = base::log;

namespace {

Response body(std::string text, unsigned status = 200) {
    Response out;
    out.status = status;
    out.body = std::move(text);
    return out;
}

const proxy::BladeStatus* find_blade(const proxy::ShardStatus& status, std::string_view name) {
    for (const auto& blade : status.blades)
        if (blade.name == name) return &blade;
    return nullptr;
}

Response no_such_blade(const proxy::ShardStatus& status, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& blade : status.blades) known.push_back(blade.name);
    auto text = "there is no blade '" + base::text::printable(name) + "'";
    if (!known.empty()) text += "; known: " + base::text::join(known, ", ");
    return problem(404, "Unknown blade", text);
}

Response failed_to_save(const base::Error& failure) {
    return problem(500, "Not saved", "the change could not be stored: " + failure.message());
}

/// The blade as it is after a change.
Response one_blade(Backend& backend, const std::string& name, unsigned code) {
    auto status = backend.status();
    std::erase_if(status.blades, [&](const auto& blade) { return blade.name != name; });
    return body(blades_json(status, backend.changes(), backend.control().blades()), code);
}

struct NewBlade {
    std::string name;
    base::net::Endpoint address;
};

bool is_good_name(std::string_view name) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    constexpr std::size_t kLongest = 63;
    return !name.empty() && name.size() <= kLongest &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<NewBlade> parse_blade(const std::string& text) {
    base::Error failure;
    const auto value = boost::json::parse(text, failure);
    const auto* object = failure ? nullptr : value.if_object();
    if (!object || object->size() != 2) return std::nullopt;
    const auto* name = object->if_contains("name");
    const auto* address = object->if_contains("address");
    if (!name || !name->is_string() || !address || !address->is_string()) return std::nullopt;
    const auto endpoint = base::net::parse_endpoint(address->get_string());
    if (!endpoint || endpoint->port == 0 || !is_good_name(name->get_string())) return std::nullopt;
    return NewBlade{std::string(name->get_string()), *endpoint};
}

Response add_blade(Backend& backend, const Request& request) {
    const auto blade = parse_blade(request.body);
    if (!blade)
        return problem(
            422,
            "Invalid blade",
            R"(the body must be {"name": "b3", "address": "192.0.2.31:3868"}; a name has 1 to 63 )"
            "letters, digits, '-', '_' or '.'"
        );
    for (const auto& other : backend.status().blades) {
        if (other.name == blade->name)
            return problem(409, "Blade exists", "there is a blade '" + blade->name + "' already");
        if (other.address == blade->address)
            return problem(409, "Address in use", "blade '" + other.name + "' has that address");
    }
    auto changes = backend.changes();
    changes.add(blade->name, blade->address);
    if (auto done = backend.change(changes); !done) return failed_to_save(done.error());
    log::event(
        log::Level::info,
        "blade_added",
        {{"blade", blade->name},
         {"address", base::net::to_string(blade->address)},
         {"by", request.peer_identity}}
    );
    return one_blade(backend, blade->name, 201);
}

Response set_draining(
    Backend& backend, const Request& request, const std::string& name, bool draining
) {
    const auto status = backend.status();
    if (!find_blade(status, name)) return no_such_blade(status, name);
    auto changes = backend.changes();
    if (draining) {
        changes.drain(name);
    } else {
        changes.activate(name, backend.control().blades());
    }
    if (auto done = backend.change(changes); !done) return failed_to_save(done.error());
    log::event(
        log::Level::info,
        "blade_state_set",
        {{"blade", name}, {"state", draining ? "drain" : "active"}, {"by", request.peer_identity}}
    );
    return one_blade(backend, name, 200);
}

Response remove_blade(Backend& backend, const Request& request, const std::string& name) {
    const auto status = backend.status();
    const auto* blade = find_blade(status, name);
    if (!blade) return no_such_blade(status, name);
    const bool force = base::http::find_query(request, "force").value_or("0") == "1";
    if (!force && (blade->sessions > 0 || blade->pending > 0))
        return problem(
            409,
            "Blade in use",
            "blade '" + name + "' still has " + std::to_string(blade->sessions) + " sessions and " +
                std::to_string(blade->pending) +
                " pending requests; drain it first, or force the removal"
        );
    auto changes = backend.changes();
    changes.remove(name, backend.configured());
    if (auto done = backend.change(changes); !done) return failed_to_save(done.error());
    log::event(
        log::Level::info,
        "blade_removed",
        {{"blade", name}, {"sessions", blade->sessions}, {"by", request.peer_identity}}
    );
    Response out;
    out.status = 204;
    return out;
}

Response ready(Backend& backend) {
    if (backend.status().ready()) return body(R"({"status":"ready"})");
    return problem(503, "Not ready", "no blade can take requests");
}

Response reload(Backend& backend) {
    const auto outcome = backend.reload_now();
    if (outcome.findings.empty())
        return body("{\"snapshot\":" + std::to_string(outcome.snapshot) + "}");
    std::string findings;
    for (const auto& finding : outcome.findings)
        findings += (findings.empty() ? "" : ",") + base::http::quote_json(finding);
    return problem(
        422,
        "Configuration refused",
        "the configuration has findings; the old one stays in force",
        "\"findings\":[" + findings + "]"
    );
}

}  // namespace

void add_status_routes(base::http::Router& router, Backend& backend, const Gate& gate) {
    const auto add = [&](const char* pattern, auto handler) {
        const auto call = [&backend, handler](const Request&, const PathParameters&) {
            return handler(backend);
        };
        router.add("GET", pattern, gate("GET", pattern, call));
    };
    add("/healthz", [](Backend&) { return body(R"({"status":"ok"})"); });
    add("/readyz", ready);
    add("/metrics", [](Backend& of) {
        auto out = body(metrics_text(of.node(), of.status(), of));
        out.content_type = base::metrics::Writer::kContentType;
        return out;
    });
}

void add_control_routes(base::http::Router& router, Backend& backend, const Gate& gate) {
    add_switchover_routes(router, backend, gate);
    const auto add = [&](const char* method, const char* pattern, auto handler) {
        const auto call = [&backend, handler](const Request& request, const PathParameters& path) {
            return handler(backend, request, path);
        };
        router.add(method, pattern, gate(method, pattern, call));
    };
    add("GET", "/api/v1/blades", [](Backend& of, const auto&, const auto&) {
        return body(blades_json(of.status(), of.changes(), of.control().blades()));
    });
    add("POST", "/api/v1/blades", [](Backend& of, const Request& request, const auto&) {
        return add_blade(of, request);
    });
    add("POST",
        "/api/v1/blades/{name}/drain",
        [](Backend& of, const Request& request, const PathParameters& path) {
            return set_draining(of, request, path["name"], true);
        });
    add("POST",
        "/api/v1/blades/{name}/activate",
        [](Backend& of, const Request& request, const PathParameters& path) {
            return set_draining(of, request, path["name"], false);
        });
    add("DELETE",
        "/api/v1/blades/{name}",
        [](Backend& of, const Request& request, const PathParameters& path) {
            return remove_blade(of, request, path["name"]);
        });
    add("GET", "/api/v1/status", [](Backend& of, const auto&, const auto&) {
        return body(status_json(of.node(), of.status()));
    });
    add("GET", "/api/v1/stats", [](Backend& of, const auto&, const auto&) {
        return body(stats_json(of.status()));
    });
    add("POST", "/api/v1/reload", [](Backend& of, const auto&, const auto&) { return reload(of); });
}

}  // namespace twinsite::slb::control
