// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/audit_trail.hpp"

#include "base/log/log.hpp"

namespace twinsite::switchover::api {

void AuditTrail::write(
    const Actor& actor,
    const std::string& action,
    const std::string& object,
    const std::string& result,
    const std::string& detail
) {
    const store::AuditDraft line{actor.who, actor.from, action, object, result, detail};
    const auto written = backend_.audit(line);
    if (written) return;
    base::log::event(
        base::log::Level::error,
        "audit_not_written",
        {{"error", written.error().message()},
         {"who", actor.who},
         {"from", actor.from},
         {"action", action},
         {"object", object},
         {"result", result}}
    );
}

void AuditTrail::write_refusal_sometimes(
    const Actor& actor,
    const std::string& action,
    const std::string& object,
    const std::string& detail,
    TokenBuckets::Time now
) {
    // By the certificate, or by the address of somebody without a name.
    const auto cause = (actor.who.empty() ? actor.from : actor.who) + " " + action;
    if (!refusals_.take(cause, now)) {
        if (held_back_.size() < 2'000 || held_back_.contains(cause)) ++held_back_[cause];
        return;
    }
    const auto held = held_back_.extract(cause);
    const auto more = held ? " (and " + std::to_string(held.mapped()) + " times before)" : "";
    write(actor, action, object, "refused", detail + more);
}

}  // namespace twinsite::switchover::api
