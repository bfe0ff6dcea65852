// SPDX-License-Identifier: Apache-2.0
// The program as the signer of its zones: what was signed anew comes into force, and when to sign.
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/running.hpp"

namespace twinsite::gslb {
namespace {

namespace log = base::log;
using log::Level;

}  // namespace

void Running::adopt_signed(const LoadedIntent& loaded) {
    if (draining_) return;
    for (const auto& finding : loaded.findings)
        log::event(Level::error, "signing_failed", {{"cause", finding}});
    // Signed from what was in force then; a newer intent was signed when it was read.
    const bool same =
        loaded.intent && loaded.intent->setup.configuration == intent_->setup.configuration;
    if (same) {
        intent_ = loaded.intent;
        helm_->adopt(intent_->setup);
        transfers_->adopt(intent_->transfers);
        for (const auto& part : intent_->signed_parts)
            log::event(
                Level::info,
                "zone_signed",
                {{"zone", part->zone->origin.to_string()},
                 {"serial", part->zone->serial},
                 {"made", part->made},
                 {"reused", part->reused},
                 {"variants", part->signer->size()}}
            );
        keep_serials();
    }
    arm_signing();
}

/// Before a restart could sign anew under a serial that was served already.
void Running::keep_serials() {
    if (intent_->signed_parts.empty()) return;
    const auto kept = base::file::write_state_file(
        state_path(kSerialsFile), encode_serials(intent_->signed_parts)
    );
    if (!kept)
        log::event(
            Level::error,
            "state_not_saved",
            {{"what", kSerialsFile}, {"cause", kept.error().message()}}
        );
}

/// Signatures and keys go by the wall clock, which may be set: it is asked again and again.
void Running::arm_signing() {
    constexpr std::chrono::seconds kLook{1};
    if (intent_->signed_parts.empty()) {
        signing_.cancel();
        return;
    }
    signing_.expires_after(kLook);
    signing_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        if (keys_.take_due_steps() || keys_.is_refresh_due())
            reloader_.request_signing();  // arms again when it is done
        else
            arm_signing();
    });
}

}  // namespace twinsite::gslb
