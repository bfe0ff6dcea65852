// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/http/message.hpp"
#include "base/http/router.hpp"
#include "base/metrics/openmetrics.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/transfer/service.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::control {

/// What the API asks about zones. Any thread.
struct ZoneSeams {
    std::function<std::vector<transfer::ZoneView>()> views;
    std::function<transfer::InCounts()> in_counts;
    std::function<transfer::Shelf::Counts()> out_counts;
    std::function<bool(const wire::dns::Name&)> retransfer;  ///< false: no such zone with primaries
    std::function<bool(const wire::dns::Name&)> notify;      ///< false: nobody to tell
};

base::http::Response list_zones(const Helm& helm, const ZoneSeams& seams);
base::http::Response retransfer_zone(
    const ZoneSeams& seams, const base::http::PathParameters& parameters
);
base::http::Response notify_zone(
    const ZoneSeams& seams, const base::http::PathParameters& parameters
);

/// Families about transfers.
void write_zone_metrics(base::metrics::Writer& out, const Helm& helm, const ZoneSeams& seams);

}  // namespace twinsite::gslb::control
