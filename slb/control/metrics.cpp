// SPDX-License-Identifier: Apache-2.0
#include "slb/control/metrics.hpp"

#include <cstdint>

#include "base/metrics/openmetrics.hpp"

namespace twinsite::slb::control {

using base::metrics::Type;
using base::metrics::Writer;
using proxy::BladeStatus;

namespace {

std::uint64_t number(std::size_t value) {
    return value;
}

void write_process(Writer& out, const NodeStatus& node, const proxy::ShardStatus& status) {
    out.family("twinsite_slb_build", Type::info, "The running program.");
    out.sample({{"version", node.version}, {"node", node.node}}, std::uint64_t{1});
    out.family("twinsite_slb_ready", Type::gauge, "1 when a blade can take requests.");
    out.sample(std::uint64_t{status.ready() ? 1U : 0U});
    out.family("twinsite_slb_clients", Type::gauge, "Client connections.");
    out.sample(number(status.clients));
    out.family("twinsite_slb_sessions", Type::gauge, "Sessions in the placement table.");
    out.sample(number(status.sessions));
    out.family("twinsite_slb_session_slots", Type::gauge, "Slots of the placement table.");
    out.sample(number(status.session_slots));
    out.family("twinsite_slb_pending", Type::gauge, "Requests waiting for their answers.");
    out.sample(number(status.pending));
    out.family("twinsite_slb_retained_bytes", Type::gauge, "Memory for copies of them.");
    out.sample(number(status.retained_bytes));
}

void write_relay(Writer& out, const proxy::RelayCounters& relay) {
    out.family("twinsite_slb_requests", Type::counter, "Requests of clients.");
    out.sample({{"retransmitted", "no"}}, relay.requests - relay.retransmitted);
    out.sample({{"retransmitted", "yes"}}, relay.retransmitted);
    out.family("twinsite_slb_answers", Type::counter, "Answers of blades passed to clients.");
    out.sample(relay.answers);
    out.family("twinsite_slb_errors", Type::counter, "Requests answered by the balancer itself.");
    for (std::size_t i = 0; i < relay.errors.size(); ++i)
        if (relay.errors[i].count > 0)
            out.sample(
                {{"result_code", std::to_string(relay.errors[i].code)}}, relay.errors[i].count
            );
    out.family("twinsite_slb_placements", Type::counter, "How the blade of a request was found.");
    out.sample({{"by", "session"}}, relay.sticky);
    out.sample({{"by", "balance"}}, relay.placed - relay.hinted);
    out.sample({{"by", "destination_host"}}, relay.hinted);
    out.sample({{"by", "move"}}, relay.moved);
    out.sample({{"by", "rendezvous"}}, relay.table_full);
    out.sample({{"by", "no_session"}}, relay.without_session);
    out.family("twinsite_slb_dropped", Type::counter, "Messages that went nowhere.");
    out.sample({{"reason", "client_gone"}}, relay.client_gone);
    out.sample({{"reason", "unexpected"}}, relay.unexpected);
    out.family("twinsite_slb_connections", Type::counter, "Client connections by outcome.");
    out.sample({{"outcome", "accepted"}}, relay.connections);
    out.sample({{"outcome", "limit"}}, relay.connections_refused);
    out.sample({{"outcome", "peer_refused"}}, relay.peers_refused);
    out.sample({{"outcome", "bad_stream"}}, relay.bad_streams);
}

using Blades = std::vector<BladeStatus>;

template <class Value>
void write_per_blade(
    Writer& out,
    std::string_view name,
    Type type,
    std::string_view help,
    const Blades& blades,
    Value value
) {
    out.family(name, type, help);
    for (const auto& blade : blades) out.sample({{"blade", blade.name}}, value(blade));
}

void write_blade_states(Writer& out, const Blades& blades) {
    write_per_blade(
        out,
        "twinsite_slb_blade_up",
        Type::gauge,
        "1 when its link is open.",
        blades,
        [](const auto& blade) { return std::uint64_t{blade.link == "open" ? 1U : 0U}; }
    );
    write_per_blade(
        out,
        "twinsite_slb_blade_draining",
        Type::gauge,
        "1 when it gets no new sessions.",
        blades,
        [](const auto& blade) { return std::uint64_t{blade.draining ? 1U : 0U}; }
    );
    write_per_blade(
        out,
        "twinsite_slb_blade_pending",
        Type::gauge,
        "Requests it has not answered.",
        blades,
        [](const auto& blade) { return std::uint64_t{blade.pending}; }
    );
    write_per_blade(
        out,
        "twinsite_slb_blade_sessions",
        Type::gauge,
        "Sessions placed there.",
        blades,
        [](const auto& blade) { return number(blade.sessions); }
    );
}

void write_blade_counters(Writer& out, const Blades& blades) {
    const auto counter = [&](std::string_view name, std::string_view help, auto member) {
        write_per_blade(out, name, Type::counter, help, blades, [member](const auto& blade) {
            return blade.counters.*member;
        });
    };
    using proxy::BladeCounters;
    counter("twinsite_slb_blade_requests", "Requests sent to it.", &BladeCounters::requests);
    counter("twinsite_slb_blade_late_answers", "Answers dropped.", &BladeCounters::late);
    counter("twinsite_slb_blade_timeouts", "Tries not answered in time.", &BladeCounters::timeouts);
    counter("twinsite_slb_blade_suspicions", "Times it fell silent.", &BladeCounters::suspicions);
    counter(
        "twinsite_slb_blade_connections", "Times its link opened.", &BladeCounters::connections
    );
    counter("twinsite_slb_blade_lost_state", "Times it came back new.", &BladeCounters::lost_state);
    write_per_blade(
        out,
        "twinsite_slb_blade_answer_seconds",
        Type::counter,
        "Time from request to answer, summed.",
        blades,
        [](const auto& blade) { return static_cast<double>(blade.counters.answer_time_us) / 1e6; }
    );
    out.family("twinsite_slb_blade_resent", Type::counter, "Requests sent again with T set.");
    for (const auto& blade : blades) {
        out.sample({{"blade", blade.name}, {"direction", "from"}}, blade.counters.resent_from);
        out.sample({{"blade", blade.name}, {"direction", "to"}}, blade.counters.resent_to);
    }
    out.family("twinsite_slb_blade_answers", Type::counter, "Its answers by Result-Code.");
    for (const auto& blade : blades)
        for (std::size_t i = 0; i < blade.counters.results.size(); ++i) {
            const auto& [code, count] = blade.counters.results[i];
            if (count == 0) continue;
            out.sample({{"blade", blade.name}, {"result_code", std::to_string(code)}}, count);
        }
}

void write_control(Writer& out, const proxy::ShardStatus& status, Backend& backend) {
    const auto& state = backend.control();
    out.family("twinsite_slb_blade_control", Type::gauge, "What switchover wants of a blade.");
    for (const auto& blade : status.blades) {
        const auto now = state.blades().word(blade.name);
        if (now == BladeControl::Word::none) continue;
        for (const auto word : {BladeControl::Word::active, BladeControl::Word::drain})
            out.sample(
                {{"blade", blade.name}, {"state", to_string(word)}},
                std::uint64_t{now == word ? 1U : 0U}
            );
    }
    out.family("twinsite_slb_control_objects", Type::gauge, "Objects that switchover controls.");
    out.sample(number(state.blades().desired().objects.size()));
    out.family("twinsite_slb_control_fence", Type::gauge, "Highest fence seen, by its parts.");
    out.sample({{"part", "generation"}}, state.fence().generation);
    out.sample({{"part", "revision"}}, state.fence().revision);
    out.family(
        "twinsite_slb_control_age_seconds", Type::gauge, "Since switchover told its wanted state."
    );
    if (const auto heard = state.heard())
        out.sample({}, std::chrono::duration<double>(backend.now() - *heard).count());
    out.family("twinsite_slb_control_refused", Type::counter, "Refused control requests.");
    for (const auto cause : kRefusalCauses)
        out.sample({{"cause", to_string(cause)}}, backend.refusals().of(cause));
    out.family("twinsite_slb_released_clients", Type::counter, "Clients asked by a release.");
    out.sample(status.released);
    out.family("twinsite_slb_release_running", Type::gauge, "1 while a release runs.");
    out.sample(std::uint64_t{status.release_running ? 1U : 0U});
}

}  // namespace

std::string metrics_text(
    const NodeStatus& node, const proxy::ShardStatus& status, Backend& backend
) {
    Writer out;
    write_process(out, node, status);
    write_relay(out, status.relay);
    write_blade_states(out, status.blades);
    write_blade_counters(out, status.blades);
    write_control(out, status, backend);
    return out.finish();
}

}  // namespace twinsite::slb::control
