// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "switchover/alarms.hpp"
#include "switchover/api/backend.hpp"
#include "switchover/conductor.hpp"
#include "switchover/store/history.hpp"

namespace twinsite::switchover {

/// The conductor as the API sees it. One thread.
class Desk final : public api::Backend {
public:
    struct Seams {
        std::function<std::vector<execute::MemberView>()> members;
        std::function<std::vector<OwnCertificate>()> certificates;
        std::function<std::string()> metrics;
        std::function<std::string()> not_ready;
    };
    Desk(Conductor& conductor, store::History& history, Seams seams);

    /// After each tick of the conductor.
    void look();

    api::OverviewView overview() override;
    std::uint64_t overview_revision() override;
    std::vector<api::ScenarioSummary> scenarios() override;
    std::optional<api::ScenarioDetail> scenario(const std::string& name) override;
    std::optional<api::WhyView> why(const std::string& scenario) override;
    std::vector<api::AlarmView> alarms() override;
    base::Result<std::vector<api::RunView>> runs(std::size_t limit, const std::string& before)
        override;
    base::Result<std::optional<api::RunView>> run(const std::string& id) override;
    api::JudgedState host_state(const std::string& host_id) override;
    api::JudgedState process_state(const std::string& host_id, const std::string& process) override;
    unsigned stale_intervals() override;
    std::string not_ready() override;
    bool is_leader() override;
    std::string metrics() override;
    base::Result<std::vector<std::pair<std::int64_t, double>>> history(
        const std::string& host_id, const std::string& metric, std::int64_t since_wall_ms
    ) override;

    api::Outcome<api::Done> set_mode(
        const api::Actor& actor,
        const std::string& scenario,
        const std::string& mode,
        const std::string& reason
    ) override;
    api::Outcome<api::Done> pause(
        const api::Actor& actor,
        const std::string& reason,
        std::optional<std::int64_t> until_wall_ms
    ) override;
    api::Outcome<api::Done> unpause(const api::Actor& actor) override;
    api::Outcome<api::RunView> start_run(const api::Actor& actor, const api::RunRequest& request)
        override;
    api::Outcome<api::RunView> order_run(const api::Actor& actor, const api::RunOrder& order)
        override;

    base::Result<void> audit(const store::AuditDraft& line) override;
    base::Result<std::vector<store::AuditEntry>> audit_entries(
        std::uint64_t after, std::size_t limit
    ) override;
    base::Result<std::uint64_t> audit_last() override;
    base::Result<store::AuditCheck> verify_audit() override;

    base::Result<std::optional<store::User>> find_user(const std::string& name) override;
    base::Result<void> save_user(const store::User& user) override;
    base::Result<std::vector<store::Session>> sessions() override;
    base::Result<void> save_session(const store::Session& session) override;
    base::Result<void> remove_session(const std::string& token_digest) override;

private:
    base::Result<api::RunView> view_of(const store::RunRecord& record);
    const std::optional<api::RunView>& last_run();
    const BookEntry* entry_of(const scenario::Run& run);
    base::Result<void> commit(const store::Transaction& transaction);

    Conductor& conductor_;
    store::History& history_;
    const Seams seams_;
    const model::Time started_;
    Alarms alarms_;
    std::uint64_t own_changes_ = 0;
    std::optional<api::RunView> last_run_;  ///< As of `last_run_revision_` of the conductor.
    std::uint64_t last_run_revision_ = 0;
    std::string shape_;  ///< What `overview` shows beside ages, to see that it changed.
    /// Scenarios of past runs by the hash of their text; the last few, newest first.
    std::list<std::pair<std::string, std::shared_ptr<const BookEntry>>> past_;
};

}  // namespace twinsite::switchover
