// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error/result.hpp"
#include "switchover/api/views.hpp"
#include "switchover/store/audit.hpp"
#include "switchover/store/users.hpp"

namespace twinsite::switchover::api {

/// Who asks. Put into runs, modes and the pause as `by`.
struct Actor {
    std::string who;   ///< Identity URI of an operator's certificate, or the name of a user.
    std::string from;  ///< Address.
};

/// Why a change was not made: becomes a problem.
struct Refusal {
    /// 404 unknown object, 409 refused by a rule or by the state, 422 bad value, 503 not now (the
    /// store, not the leader).
    unsigned status = 409;
    std::string rule;  ///< Code, for overrides and translation: "blind", "cool-down", "not-leader".
    std::string text;
    std::vector<GateView> gates;
};

template <class T>
using Outcome = std::variant<T, Refusal>;
struct Done {};

struct RunOverride {
    std::string rule;
    std::string reason;
};

struct RunRequest {
    std::string scenario;
    std::string reason;
    std::string variant;  ///< Empty: the usual one.
    std::vector<RunOverride> overrides;
    /// "WHO/KEY" of Idempotency-Key; empty: none. The backend keeps it in the same transaction as
    /// the new run, and answers a key that it has with that run.
    std::string idempotency_key;
    std::string digest;  ///< SHA-256 of the request: a known key with another digest is a 422.
};

enum class RunVerb : std::uint8_t { pause, resume, abort, retry, skip, answer };

struct RunOrder {
    std::string run;
    RunVerb verb = RunVerb::pause;
    std::string reason;
    std::string step;    ///< For retry, skip and answer; empty: the one that waits.
    std::string answer;  ///< For answer: "yes" | "no"
};

/// What the API needs from the program around it (the conductor). Called on the server's thread;
/// calls may block for a synced write of the store, no longer. The API writes the audit lines of
/// all requests (`audit`); the backend writes those of its own acts only.
class Backend {
public:
    virtual ~Backend() = default;

    // What is shown.
    virtual OverviewView overview() = 0;
    /// Grows when something in `overview` changed other than ages. Cheap.
    virtual std::uint64_t overview_revision() = 0;
    virtual std::vector<ScenarioSummary> scenarios() = 0;
    virtual std::optional<ScenarioDetail> scenario(const std::string& name) = 0;
    virtual std::optional<WhyView> why(const std::string& scenario) = 0;
    virtual std::vector<AlarmView> alarms() = 0;
    /// Newest first, older than the run `before` (empty: from the newest).
    virtual base::Result<std::vector<RunView>> runs(
        std::size_t limit, const std::string& before
    ) = 0;
    virtual base::Result<std::optional<RunView>> run(const std::string& id) = 0;
    virtual JudgedState host_state(const std::string& host_id) = 0;
    virtual JudgedState process_state(const std::string& host_id, const std::string& process) = 0;
    virtual unsigned stale_intervals() = 0;
    /// Empty when the program is ready, else why not.
    virtual std::string not_ready() = 0;
    virtual bool is_leader() = 0;
    /// The whole of /metrics, OpenMetrics text.
    virtual std::string metrics() = 0;
    virtual base::Result<std::vector<std::pair<std::int64_t, double>>> history(
        const std::string& host_id, const std::string& metric, std::int64_t since_wall_ms
    ) = 0;

    // What is changed.
    virtual Outcome<Done> set_mode(
        const Actor& actor,
        const std::string& scenario,
        const std::string& mode,
        const std::string& reason
    ) = 0;
    virtual Outcome<Done> pause(
        const Actor& actor, const std::string& reason, std::optional<std::int64_t> until_wall_ms
    ) = 0;
    virtual Outcome<Done> unpause(const Actor& actor) = 0;
    virtual Outcome<RunView> start_run(const Actor& actor, const RunRequest& request) = 0;
    virtual Outcome<RunView> order_run(const Actor& actor, const RunOrder& order) = 0;

    // The audit.
    virtual base::Result<void> audit(const store::AuditDraft& line) = 0;
    virtual base::Result<std::vector<store::AuditEntry>> audit_entries(
        std::uint64_t after, std::size_t limit
    ) = 0;
    /// seq of the last line; 0: none.
    virtual base::Result<std::uint64_t> audit_last() = 0;
    virtual base::Result<store::AuditCheck> verify_audit() = 0;

    // People. Sessions are kept by the digest of their token.
    virtual base::Result<std::optional<store::User>> find_user(const std::string& name) = 0;
    virtual base::Result<void> save_user(const store::User& user) = 0;
    virtual base::Result<std::vector<store::Session>> sessions() = 0;
    virtual base::Result<void> save_session(const store::Session& session) = 0;
    virtual base::Result<void> remove_session(const std::string& token_digest) = 0;
};

}  // namespace twinsite::switchover::api
