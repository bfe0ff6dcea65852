// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/stats_json.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace twinsite::tools::blade {

std::string to_json(
    const ChargingStats& charging, std::size_t open_sessions, const LinkStats& links
) {
    boost::json::object out;
    out["requests"] = charging.requests;
    out["retransmitted"] = charging.retransmitted;
    out["duplicates"] = charging.duplicates;
    out["sessions"] = charging.sessions;
    out["open_sessions"] = open_sessions;
    out["unknown_session"] = charging.unknown_session;
    out["initial"] = charging.initial;
    out["updates"] = charging.updates;
    out["terminations"] = charging.terminations;
    out["events"] = charging.events;
    out["malformed"] = charging.malformed;
    out["unsupported"] = charging.unsupported;
    out["links_accepted"] = links.accepted;
    out["links_open"] = links.open;
    out["bad_streams"] = links.bad_streams;
    out["lost_answers"] = links.lost_answers;
    return boost::json::serialize(out);
}

}  // namespace twinsite::tools::blade
