// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace twinsite::switchover::store {

/// What somebody did or was refused, as it is handed to the store. Each text at most 4 KiB; longer
/// ones are cut.
struct AuditDraft {
    std::string who;     ///< "admin", "twinsite://east/operator/li", "auto", "switchover"
    std::string from;    ///< Address of the caller; empty for our own acts.
    std::string action;  ///< "run.start", "mode.set", "command.refused"
    std::string object;  ///< Scenario, run, host or member.
    std::string result;  ///< "done", "refused", "failed"
    std::string detail;  ///< Reason given, rule that refused, output.
};

/// A line of the audit. Lines are only ever added; each hash covers the line and the hash before.
struct AuditEntry : AuditDraft {
    std::uint64_t seq = 0;     ///< From 1, without a gap.
    std::int64_t wall_ms = 0;  ///< Unix time.
    std::string hash;          ///< SHA-256 in hex.
};

/// The hash of `entry` (its own is ignored) after a line with the hash `before`; the first line
/// stands after an empty hash.
std::string audit_hash(const AuditEntry& entry, const std::string& before);

struct AuditCheck {
    std::uint64_t entries = 0;
    std::optional<std::uint64_t> first_bad;  ///< seq of the first line that does not fit.
};

}  // namespace twinsite::switchover::store
