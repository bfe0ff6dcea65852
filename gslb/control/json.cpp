// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/json.hpp"

#include <boost/json.hpp>

#include "gslb/control/override_file.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;

json::value or_null(const std::optional<unsigned>& number) {
    if (number) return *number;
    return nullptr;
}

json::array stages_to_json(const std::vector<steering::Trace::Stage>& stages) {
    json::array out;
    for (const auto& stage : stages) {
        json::array dropped;
        for (const auto& drop : stage.dropped)
            dropped.push_back(json::object{{"target", drop.target}, {"reason", drop.reason}});
        out.push_back(json::object{
            {"filter", stage.filter},
            {"kept", to_json(stage.kept)},
            {"dropped", dropped},
            {"note", stage.note},
        });
    }
    return out;
}

json::array checks_to_json(const std::vector<health::CheckView>& checks) {
    json::array out;
    for (const auto& check : checks) {
        json::object object{
            {"name", check.name},
            {"endpoint", to_string(check.target)},
            {"state", health::to_string(check.state)},
            {"pending", check.pending},
            {"restored", check.restored},
            {"age_ms", nullptr},
            {"latency_us", check.latency.count()},
            {"successes", check.successes},
            {"failures", check.failures},
            {"last_error", check.last_error},
        };
        if (check.age) object["age_ms"] = check.age->count();
        out.push_back(std::move(object));
    }
    return out;
}

json::object target_to_json(
    const Helm& helm,
    const steering::Service& service,
    const steering::Target& target,
    const steering::TargetState& state
) {
    json::array addresses;
    for (const auto& address : target.addresses)
        addresses.push_back(json::value(to_string(address)));
    json::object out{
        {"name", target.name},
        {"site", helm.setup().steering->sites[target.site]},
        {"addresses", addresses},
        {"weight", target.weight},
        {"state", steering::to_string(state.health)},
        {"pending", state.pending},
        {"restored", helm.health(service.name, target.name).restored},
        {"forced", nullptr},
        {"control", nullptr},
        {"checks", checks_to_json(helm.checks(service.name, target.name))},
    };
    if (state.forced != steering::Forced::none) out["forced"] = steering::to_string(state.forced);
    if (state.control != steering::Forced::none) out["control"] = to_control_word(state.control);
    return out;
}

}  // namespace

json::array to_json(const std::vector<std::string>& texts) {
    json::array out;
    for (const auto& text : texts) out.push_back(json::value(text));
    return out;
}

json::object to_json(const Explanation& from) {
    json::object out{
        {"name", from.asked.name.to_string()},
        {"type", wire::dns::type_to_string(from.asked.type)},
        {"client", to_string(from.asked.client)},
        {"subnet", nullptr},
        {"steered", nullptr},
        {"class", nullptr},
        {"scope", or_null(from.scope)},
        {"ttl_s", from.ttl_s},
        {"rcode", wire::dns::rcode_to_string(from.rcode)},
        {"answers", to_json(from.answers)},
        {"drawn", from.drawn},
        {"snapshot", from.snapshot},
        {"stages", stages_to_json(from.trace.stages)},
        {"precedence", steering::to_string(from.trace.precedence)},
        {"text", to_json(describe(from))},
    };
    if (from.asked.subnet) out["subnet"] = to_string(*from.asked.subnet);
    if (from.steered) {
        out["steered"] = from.steered->to_string();
        out["class"] = json::object{
            {"sites", to_json(from.sites)}, {"prefix_length", or_null(from.prefix_length)}
        };
    }
    return out;
}

json::object to_json(const Override& entry, const Moment& now) {
    json::object out{
        {"service", entry.key.service},
        {"object", entry.key.object},
        {"state", steering::to_string(entry.state)},
        {"reason", entry.reason},
        {"author", entry.author},
        {"set_at", format_wall_time(entry.set_at)},
        {"expires_at", nullptr},
        {"ttl_s", nullptr},
    };
    if (!entry.expires) return out;
    const auto left = *entry.expires - now.monotonic;
    out["ttl_s"] = std::chrono::ceil<std::chrono::seconds>(left).count();
    out["expires_at"] = format_wall_time(
        now.wall + std::chrono::duration_cast<std::chrono::system_clock::duration>(left)
    );
    return out;
}

json::array zones_to_json(const zone::Index& index) {
    json::array out;
    for (const auto& zone : index.zones())
        out.push_back(json::object{
            {"name", zone.origin.to_string()},
            {"serial", zone.serial},
            {"records", zone.records},
        });
    return out;
}

json::array services_to_json(const Helm& helm) {
    json::array out;
    const auto& services = helm.setup().steering->services;
    for (std::size_t s = 0; s < services.size(); ++s) {
        json::array targets;
        for (std::size_t t = 0; t < services[s].targets.size(); ++t)
            targets.push_back(
                target_to_json(helm, services[s], services[s].targets[t], helm.states()[s][t])
            );
        out.push_back(json::object{{"name", services[s].name}, {"targets", targets}});
    }
    return out;
}

base::http::Response json_answer(const json::object& value) {
    base::http::Response out;
    out.body = json::serialize(value) + "\n";
    return out;
}

}  // namespace twinsite::gslb::control
