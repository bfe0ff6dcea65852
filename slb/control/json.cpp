// SPDX-License-Identifier: Apache-2.0
#include "slb/control/json.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace twinsite::slb::control {

namespace json = boost::json;

namespace {

json::object codes_of(const proxy::ResultCounts& counts) {
    json::object out;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i].count > 0) out[std::to_string(counts[i].code)] = counts[i].count;
    return out;
}

json::object blade_of(const proxy::BladeStatus& blade) {
    const auto& counters = blade.counters;
    return {
        {"name", blade.name},
        {"address", base::net::to_string(blade.address)},
        {"host", blade.host},
        {"state", blade.draining ? "drain" : "active"},
        {"link", blade.link},
        {"pending", blade.pending},
        {"sessions", blade.sessions},
        {"requests", counters.requests},
        {"answers", counters.answers},
        {"resent", counters.resent_from},
        {"received_resent", counters.resent_to},
        {"late", counters.late},
        {"timeouts", counters.timeouts},
        {"suspicions", counters.suspicions},
        {"connections", counters.connections},
        {"lost_state", counters.lost_state},
        {"result_codes", codes_of(counters.results)},
    };
}

}  // namespace

std::string blades_json(
    const proxy::ShardStatus& status, const BladeChanges& changes, const BladeControl& control
) {
    json::array blades;
    for (const auto& blade : status.blades) {
        auto one = blade_of(blade);
        one["operator"] = changes.word(blade.name);
        one["control"] = to_string(control.word(blade.name));
        blades.push_back(std::move(one));
    }
    return json::serialize(json::object{{"blades", std::move(blades)}});
}

std::string status_json(const NodeStatus& node, const proxy::ShardStatus& status) {
    std::size_t open = 0;
    for (const auto& blade : status.blades) open += blade.link == "open" ? 1 : 0;
    return json::serialize(json::object{
        {"node", node.node},
        {"host", node.host},
        {"realm", node.realm},
        {"version", node.version},
        {"snapshot", node.snapshot},
        {"uptime_s", node.uptime.count()},
        {"ready", status.ready()},
        {"blades", status.blades.size()},
        {"blades_open", open},
        {"clients", status.clients},
        {"sessions", status.sessions},
        {"pending", status.pending},
    });
}

std::string stats_json(const proxy::ShardStatus& status) {
    const auto& relay = status.relay;
    proxy::BladeCounters sum;
    for (const auto& blade : status.blades) {
        sum.resent_from += blade.counters.resent_from;
        sum.late += blade.counters.late;
        sum.timeouts += blade.counters.timeouts;
    }
    return json::serialize(json::object{
        {"requests", relay.requests},
        {"answers", relay.answers},
        {"errors", codes_of(relay.errors)},
        {"retransmitted", relay.retransmitted},
        {"sticky", relay.sticky},
        {"placed", relay.placed},
        {"hinted", relay.hinted},
        {"moved", relay.moved},
        {"table_full", relay.table_full},
        {"without_session", relay.without_session},
        {"client_gone", relay.client_gone},
        {"unexpected", relay.unexpected},
        {"connections", relay.connections},
        {"connections_refused", relay.connections_refused},
        {"peers_refused", relay.peers_refused},
        {"bad_streams", relay.bad_streams},
        {"resent", sum.resent_from},
        {"late", sum.late},
        {"timeouts", sum.timeouts},
        {"clients", status.clients},
        {"sessions", status.sessions},
        {"session_slots", status.session_slots},
        {"pending", status.pending},
        {"retained_bytes", status.retained_bytes},
    });
}

}  // namespace twinsite::slb::control
