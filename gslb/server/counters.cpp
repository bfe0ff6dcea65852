// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/counters.hpp"

namespace twinsite::gslb::server {

void add_to(Totals& totals, const Counters& counters) {
    const bool first = totals.empty();
    std::size_t at = 0;
    visit(counters, [&](std::string_view name, const answer::Counter& counter) {
        if (first) totals.emplace_back(name, 0);
        totals[at++].second += counter.value();
    });
}

}  // namespace twinsite::gslb::server
