// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/zones_api.hpp"

#include <optional>

#include <boost/json.hpp>

#include "gslb/control/json.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::PathParameters;
using base::http::problem;
using base::http::Response;
using base::metrics::Type;

json::value seconds_or_null(const std::optional<std::chrono::seconds>& value) {
    return value ? json::value(value->count()) : json::value(nullptr);
}

/// The views with what the index has: that is what is answered now.
std::vector<transfer::ZoneView> as_answered(const Helm& helm, const ZoneSeams& seams) {
    auto views = seams.views();
    for (auto& view : views)
        for (const auto& zone : helm.snapshot().index().zones()) {
            if (zone.origin.to_string() != view.zone) continue;
            view.serial.reset();
            if (zone.available) view.serial = zone.serial;
            view.records = zone.records;
        }
    return views;
}

json::object to_json(const transfer::SecondaryView& view) {
    json::value acknowledged(nullptr);
    if (view.acknowledged) acknowledged = *view.acknowledged;
    return {
        {"address", view.address},
        {"notifying", view.notifying},
        {"notify_acknowledged", acknowledged},
        {"notified_serial", view.notified_serial},
        {"transfer", view.transfer},
        {"transferred_serial", view.transferred_serial},
        {"transfer_complete", view.transferred_whole},
        {"transfer_age_s", seconds_or_null(view.transfer_age)},
    };
}

json::object to_json(const transfer::ZoneView& view) {
    json::array primaries;
    for (const auto& primary : view.primaries) primaries.emplace_back(primary);
    json::array secondaries;
    for (const auto& secondary : view.secondaries) secondaries.push_back(to_json(secondary));
    json::value serial(nullptr);
    if (view.serial) serial = *view.serial;
    return {
        {"zone", view.zone},
        {"role", view.secondary ? "secondary" : "primary"},
        {"state", view.state},
        {"serial", serial},
        {"records", view.records},
        {"primaries", primaries},
        {"error", view.error},
        {"checked_age_s", seconds_or_null(view.checked)},
        {"stale_s", seconds_or_null(view.stale_for)},
        {"next_refresh_s", seconds_or_null(view.next_refresh)},
        {"expires_s", seconds_or_null(view.expires)},
        {"transfer", view.transfer},
        {"transfer_from", view.transfer_from},
        {"transfer_age_s", seconds_or_null(view.transfer_age)},
        {"journal", view.journal},
        {"secondaries", secondaries},
    };
}

Response command(
    const std::function<bool(const wire::dns::Name&)>& run,
    const PathParameters& parameters,
    const char* impossible
) {
    const std::string text(parameters["zone"]);
    const auto name = wire::dns::parse_name(text);
    if (!name) return problem(422, "Wrong zone", "'" + text + "' is not a domain name");
    if (!run(*name)) return problem(404, "Not possible", impossible);
    auto out = json_answer({{"zone", name->to_string()}, {"state", "started"}});
    out.status = 202;
    return out;
}

}  // namespace

Response list_zones(const Helm& helm, const ZoneSeams& seams) {
    json::array zones;
    for (const auto& view : as_answered(helm, seams)) zones.push_back(to_json(view));
    return json_answer({{"zones", zones}});
}

Response retransfer_zone(const ZoneSeams& seams, const PathParameters& parameters) {
    return command(seams.retransfer, parameters, "there is no such zone with primaries");
}

Response notify_zone(const ZoneSeams& seams, const PathParameters& parameters) {
    return command(seams.notify, parameters, "there is no such zone with 'transfer.notify'");
}

void write_zone_metrics(base::metrics::Writer& out, const Helm& helm, const ZoneSeams& seams) {
    if (!seams.views) return;
    const auto views = as_answered(helm, seams);
    out.family(
        "twinsite_gslb_zone_usable", Type::gauge, "1 when the zone is answered, 0 without records."
    );
    for (const auto& view : views)
        out.sample({{"zone", view.zone}}, std::uint64_t{view.serial ? 1U : 0U});
    out.family(
        "twinsite_gslb_zone_stale_seconds",
        Type::gauge,
        "Since the updates of a zone with primaries have stopped; 0 while they work."
    );
    for (const auto& view : views)
        if (view.secondary)
            out.sample(
                {{"zone", view.zone}}, std::int64_t{view.stale_for ? view.stale_for->count() : 0}
            );
    const auto in = seams.in_counts();
    out.family("twinsite_gslb_transfers_in", Type::counter, "Askings of primaries.");
    out.sample({{"result", "up_to_date"}}, in.checks);
    out.sample({{"result", "whole"}}, in.whole);
    out.sample({{"result", "incremental"}}, in.incremental);
    out.sample({{"result", "failed"}}, in.failed);
    const auto sent = seams.out_counts();
    out.family("twinsite_gslb_transfers_out", Type::counter, "Transfers that others asked for.");
    out.sample({{"result", "whole"}}, sent.whole);
    out.sample({{"result", "incremental"}}, sent.incremental);
    out.sample({{"result", "up_to_date"}}, sent.up_to_date);
    out.sample({{"result", "refused"}}, sent.refused);
    out.sample({{"result", "broken"}}, sent.broken);
    out.family("twinsite_gslb_notifies", Type::counter, "NOTIFY messages.");
    out.sample({{"result", "received"}}, sent.notified);
    out.sample({{"result", "acknowledged"}}, in.notify_sent);
    out.sample({{"result", "failed"}}, in.notify_failed);
}

}  // namespace twinsite::gslb::control
