// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/metrics.hpp"

#include <array>

#include "base/metrics/openmetrics.hpp"

namespace twinsite::gslb::control {
namespace {

using base::metrics::Type;
using base::metrics::Writer;

/// A counter of the server, with the family it goes to and the label that tells it from others
/// there. Rows of one family stand together.
struct Row {
    std::string_view counter;
    const char* family;
    const char* label;  ///< nullptr: the family has one sample
    const char* value;
    const char* help;
};
constexpr const char* kQueries = "twinsite_gslb_queries";
constexpr const char* kResponses = "twinsite_gslb_responses";
constexpr const char* kTcpClosed = "twinsite_gslb_tcp_closed";
constexpr const char* kQueriesHelp = "Messages received, by transport.";
constexpr const char* kResponsesHelp = "Replies composed, by response code.";
constexpr const char* kTcpClosedHelp = "TCP connections that we closed, by cause.";

constexpr std::array<Row, 21> kRows{{
    {"udp", kQueries, "transport", "udp", kQueriesHelp},
    {"tcp", kQueries, "transport", "tcp", kQueriesHelp},
    {"noerror", kResponses, "rcode", "NOERROR", kResponsesHelp},
    {"formerr", kResponses, "rcode", "FORMERR", kResponsesHelp},
    {"servfail", kResponses, "rcode", "SERVFAIL", kResponsesHelp},
    {"nxdomain", kResponses, "rcode", "NXDOMAIN", kResponsesHelp},
    {"notimp", kResponses, "rcode", "NOTIMP", kResponsesHelp},
    {"refused", kResponses, "rcode", "REFUSED", kResponsesHelp},
    {"badvers", kResponses, "rcode", "BADVERS", kResponsesHelp},
    {"dropped", "twinsite_gslb_dropped", nullptr, "", "Messages not answered: no query at all."},
    {"edns", "twinsite_gslb_edns_queries", nullptr, "", "Queries with EDNS."},
    {"client_subnet",
     "twinsite_gslb_client_subnet_queries",
     nullptr,
     "",
     "Queries with a client subnet option."},
    {"steered", "twinsite_gslb_steered_answers", nullptr, "", "Answers of steered names."},
    {"truncated",
     "twinsite_gslb_truncated",
     nullptr,
     "",
     "Replies cut, for the client to ask again over TCP."},
    {"referral", "twinsite_gslb_referrals", nullptr, "", "Replies that point to a delegated zone."},
    {"no_data",
     "twinsite_gslb_no_data",
     nullptr,
     "",
     "Replies NOERROR without an answer: the name has no record of the type."},
    {"udp_not_sent",
     "twinsite_gslb_udp_not_sent",
     nullptr,
     "",
     "Replies that the kernel did not take."},
    {"tcp_connections", "twinsite_gslb_tcp_connections", nullptr, "", "TCP connections accepted."},
    {"tcp_idle_closed", kTcpClosed, "cause", "idle", kTcpClosedHelp},
    {"tcp_crowded_out", kTcpClosed, "cause", "crowded_out", kTcpClosedHelp},
    {"tcp_bad_length", kTcpClosed, "cause", "bad_length", kTcpClosedHelp},
}};

std::uint64_t value_of(const server::Totals& totals, std::string_view counter) {
    for (const auto& [name, value] : totals)
        if (name == counter) return value;
    return 0;
}

void write_counters(Writer& out, const server::Totals& totals) {
    std::string_view family;
    for (const auto& row : kRows) {
        if (row.family != family) out.family(row.family, Type::counter, row.help);
        family = row.family;
        if (row.label == nullptr)
            out.sample(value_of(totals, row.counter));
        else
            out.sample({{row.label, row.value}}, value_of(totals, row.counter));
    }
}

void write_program(Writer& out, const Helm& helm, const ApiSeams& seams) {
    out.family("twinsite_gslb_build", Type::info, "The program.");
    out.sample(
        {{"version", TWINSITE_VERSION}, {"node", helm.setup().node}, {"site", helm.setup().site}},
        std::uint64_t{1}
    );
    out.family("twinsite_gslb_ready", Type::gauge, "1 when DNS is served, else 0.");
    out.sample(std::uint64_t{seams.not_ready().empty() ? 1U : 0U});
    out.family("twinsite_gslb_uptime_seconds", Type::gauge, "Since the start of the program.");
    out.sample({}, std::int64_t{seams.uptime().count()});
    out.family("twinsite_gslb_snapshot_version", Type::gauge, "Of the answers in force.");
    out.sample(helm.snapshot().version());
    out.family("twinsite_gslb_overrides", Type::gauge, "Overrides in force.");
    out.sample(std::uint64_t{helm.overrides().entries().size()});
    out.family("twinsite_gslb_zone_serial", Type::gauge, "Serial of a zone's SOA.");
    const auto& zones = helm.snapshot().index().zones();
    for (const auto& zone : zones)
        out.sample({{"zone", zone.origin.to_string()}}, std::uint64_t{zone.serial});
    out.family("twinsite_gslb_zone_records", Type::gauge, "Records of a zone, as loaded.");
    for (const auto& zone : zones)
        out.sample({{"zone", zone.origin.to_string()}}, std::uint64_t{zone.records});
}

/// Calls `write(labels, service, target, state)` for each target.
template <class Write>
void for_targets(const Helm& helm, Write write) {
    const auto& steering = *helm.setup().steering;
    for (std::size_t s = 0; s < steering.services.size(); ++s) {
        const auto& service = steering.services[s];
        for (std::size_t t = 0; t < service.targets.size(); ++t) {
            const auto& target = service.targets[t];
            base::metrics::Labels labels{
                {"service", service.name},
                {"target", target.name},
                {"site", steering.sites[target.site]}
            };
            write(labels, service, target, helm.states()[s][t]);
        }
    }
}

/// One sample for each value a state can have: 1 for the one it has, else 0.
template <class State>
void state_samples(
    Writer& out, base::metrics::Labels labels, State now, std::initializer_list<State> all
) {
    labels.emplace_back("state", "");
    for (const auto state : all) {
        labels.back().second = steering::to_string(state);
        out.sample(labels, std::uint64_t{state == now ? 1U : 0U});
    }
}

void write_targets(Writer& out, const Helm& helm) {
    using steering::Forced;
    using steering::Health;
    out.family("twinsite_gslb_target_health", Type::gauge, "What the checks of a target say.");
    for_targets(helm, [&](auto& labels, auto&, auto&, auto& state) {
        state_samples(out, labels, state.health, {Health::up, Health::down, Health::unknown});
    });
    out.family("twinsite_gslb_target_forced", Type::gauge, "What operators say of a target.");
    for_targets(helm, [&](auto& labels, auto&, auto&, auto& state) {
        state_samples(
            out, labels, state.forced, {Forced::none, Forced::up, Forced::down, Forced::drain}
        );
    });
    out.family("twinsite_gslb_target_control", Type::gauge, "What switchover wants of a target.");
    for_targets(helm, [&](auto& labels, auto&, auto&, auto& state) {
        labels.emplace_back("state", "");
        for (const auto word : {Forced::none, Forced::down, Forced::drain}) {
            labels.back().second = to_control_word(word);
            out.sample(labels, std::uint64_t{state.control == word ? 1U : 0U});
        }
    });
}

void write_control(Writer& out, const Helm& helm, const ApiSeams& seams) {
    out.family("twinsite_gslb_control_objects", Type::gauge, "Objects that switchover controls.");
    out.sample(std::uint64_t{helm.control().directives.entries().size()});
    const auto fence = helm.fence();
    out.family("twinsite_gslb_control_fence", Type::gauge, "Highest fence seen, by its parts.");
    out.sample({{"part", "generation"}}, fence.generation);
    out.sample({{"part", "revision"}}, fence.revision);
    out.family(
        "twinsite_gslb_control_age_seconds", Type::gauge, "Since switchover told its wanted state."
    );
    if (const auto heard = helm.heard_control()) {
        const auto age = seams.now().monotonic - *heard;
        out.sample({}, std::chrono::duration<double>(age).count());
    }
    if (seams.refusals == nullptr) return;
    out.family("twinsite_gslb_control_refused", Type::counter, "Refused control requests.");
    for (const auto cause : kRefusalCauses)
        out.sample({{"cause", to_string(cause)}}, seams.refusals->of(cause));
}

/// Calls `write(labels, check)` for each check of each target.
template <class Write>
void for_checks(const Helm& helm, Write write) {
    for_targets(helm, [&](auto& labels, auto& service, auto& target, auto&) {
        for (const auto& check : helm.checks(service.name, target.name)) {
            const auto endpoint = to_string(check.target);
            auto all = labels;
            all.emplace_back("check", check.name);
            all.emplace_back("endpoint", endpoint);
            write(all, check);
        }
    });
}

void write_checks(Writer& out, const Helm& helm) {
    out.family(
        "twinsite_gslb_check_age_seconds",
        Type::gauge,
        "Since the last result of a check; it grows when checks stop running."
    );
    for_checks(helm, [&](const auto& labels, const auto& check) {
        if (check.age) out.sample(labels, std::chrono::duration<double>(*check.age).count());
    });
    out.family(
        "twinsite_gslb_check_latency_seconds", Type::gauge, "Of the last result of a check."
    );
    for_checks(helm, [&](const auto& labels, const auto& check) {
        out.sample(labels, std::chrono::duration<double>(check.latency).count());
    });
    out.family("twinsite_gslb_check_results", Type::counter, "Results of a check.");
    for_checks(helm, [&](auto& labels, const auto& check) {
        labels.emplace_back("result", "success");
        out.sample(labels, check.successes);
        labels.back().second = "failure";
        out.sample(labels, check.failures);
    });
}

}  // namespace

base::http::Response write_metrics(const Helm& helm, const ApiSeams& seams) {
    Writer out;
    write_program(out, helm, seams);
    write_counters(out, seams.counters());
    write_targets(out, helm);
    write_control(out, helm, seams);
    write_checks(out, helm);
    base::http::Response response;
    response.content_type = Writer::kContentType;
    response.body = out.finish();
    return response;
}

}  // namespace twinsite::gslb::control
