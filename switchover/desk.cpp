// SPDX-License-Identifier: Apache-2.0
#include "switchover/desk.hpp"

#include <algorithm>
#include <utility>

#include "switchover/api/run_view.hpp"
#include "switchover/overview.hpp"

namespace twinsite::switchover {
namespace {

constexpr std::size_t kPastKept = 32;

template <class T>
api::Outcome<api::RunView> to_view(api::Outcome<T> outcome, const Conductor& conductor) {
    if (auto* refused = std::get_if<api::Refusal>(&outcome)) return std::move(*refused);
    const auto& run = std::get<T>(outcome);
    const auto* driven = conductor.runs().find(run.id);
    return api::view_of(run, driven ? &driven->entry->scenario : nullptr);
}

}  // namespace

Desk::Desk(Conductor& conductor, store::History& history, Seams seams)
    : conductor_(conductor),
      history_(history),
      seams_(std::move(seams)),
      started_(conductor.now()) {}

void Desk::look() {
    std::string shape;
    for (const auto& alarm : alarms_.look(conductor_, seams_.certificates()))
        shape += alarm.code + alarm.text + "\n";
    for (const auto& [name, assessment] : conductor_.assessor().all())
        shape += name + to_string(assessment.verdict) + (assessment.firing ? "!" : "") + "\n";
    for (const auto& member : seams_.members()) {
        shape += member.member.name + (member.reachable ? "+" : "-") + (member.in_sync ? "=" : "#");
        for (const auto& site : member.sites) shape += site.site + (site.answering ? "a" : "n");
        shape += member.detail + "\n";
    }
    for (const auto& service : conductor_.judge().verdicts().services)
        shape += judge::to_string(service.good);
    for (const auto& site : conductor_.judge().verdicts().sites)
        shape += std::to_string(site.agents_ok) + "," + std::to_string(site.evidence.have) + ";";
    if (shape == shape_) return;
    shape_ = std::move(shape);
    ++own_changes_;
}

std::uint64_t Desk::overview_revision() {
    return conductor_.revision() + own_changes_;
}

api::OverviewView Desk::overview() {
    const auto& plan = conductor_.config().plan;
    api::OverviewView out;
    out.server.node = plan.node;
    out.server.site = plan.site;
    out.server.leader = is_leader();
    if (out.server.leader) out.server.fence = conductor_.leader().fence();
    const auto uptime = conductor_.now() - started_;
    out.server.uptime_s =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(uptime).count()
        );
    out.pause = pause_view(conductor_);
    out.blind = blind_view(conductor_);
    out.sites = site_views(conductor_, seams_.members());
    out.services = service_views(conductor_);
    out.scenarios = scenarios();
    for (const auto& driven : conductor_.runs().runs())
        if (!scenario::ended(driven.run.state))
            out.active_runs.push_back(api::view_of(driven.run, &driven.entry->scenario));
    out.last_run = last_run();
    out.alarms = alarms_.all();
    return out;
}

const std::optional<api::RunView>& Desk::last_run() {
    if (last_run_revision_ == conductor_.revision()) return last_run_;
    last_run_revision_ = conductor_.revision();
    last_run_.reset();
    auto newest = runs(20, "");
    if (!newest) return last_run_;
    const auto found = std::find_if(newest->begin(), newest->end(), [](const api::RunView& run) {
        return run.ended_wall.has_value();
    });
    if (found != newest->end()) last_run_ = std::move(*found);
    return last_run_;
}

std::vector<api::ScenarioSummary> Desk::scenarios() {
    std::vector<api::ScenarioSummary> out;
    for (const auto& [name, entry] : conductor_.book())
        if (const auto* assessment = conductor_.assessor().find(name))
            out.push_back(summary_of(*entry, *assessment));
    return out;
}

std::optional<api::ScenarioDetail> Desk::scenario(const std::string& name) {
    const auto entry = conductor_.book().find(name);
    const auto* assessment = conductor_.assessor().find(name);
    if (entry == conductor_.book().end() || assessment == nullptr) return std::nullopt;
    api::ScenarioDetail out;
    out.summary = summary_of(*entry->second, *assessment);
    out.source = entry->second->source;
    for (const auto& remark : entry->second->lint.remarks) out.lint.push_back(remark.text);
    return out;
}

std::optional<api::WhyView> Desk::why(const std::string& scenario) {
    const auto entry = conductor_.book().find(scenario);
    const auto* assessment = conductor_.assessor().find(scenario);
    if (entry == conductor_.book().end() || assessment == nullptr) return std::nullopt;
    return why_of(*entry->second, *assessment);
}

std::vector<api::AlarmView> Desk::alarms() {
    return alarms_.all();
}

const BookEntry* Desk::entry_of(const scenario::Run& run) {
    const auto current = conductor_.book().find(run.scenario);
    if (current != conductor_.book().end() && current->second->hash == run.hash)
        return current->second.get();
    for (const auto& [hash, entry] : past_)
        if (hash == run.hash) return entry.get();
    const auto source = store::load_source(conductor_.store(), run.hash);
    std::shared_ptr<const BookEntry> entry;
    if (source && *source) entry = parse_entry(conductor_.config(), **source, "store");
    past_.emplace_front(run.hash, entry);
    if (past_.size() > kPastKept) past_.pop_back();
    return entry.get();
}

base::Result<api::RunView> Desk::view_of(const store::RunRecord& record) {
    if (const auto* driven = conductor_.runs().find(record.id))
        return api::view_of(driven->run, &driven->entry->scenario);
    const auto run = scenario::decode_run(record.body);
    if (!run) return run.error();
    const auto* entry = entry_of(*run);
    return api::view_of(*run, entry ? &entry->scenario : nullptr);
}

base::Result<std::vector<api::RunView>> Desk::runs(std::size_t limit, const std::string& before) {
    const auto records = store::list_runs(conductor_.store(), limit, before);
    if (!records) return records.error();
    std::vector<api::RunView> out;
    for (const auto& record : *records) {
        auto view = view_of(record);
        if (!view) return view.error();
        out.push_back(std::move(*view));
    }
    return out;
}

base::Result<std::optional<api::RunView>> Desk::run(const std::string& id) {
    const auto record = store::load_run(conductor_.store(), id);
    if (!record) return record.error();
    if (!*record) return std::optional<api::RunView>();
    auto view = view_of(**record);
    if (!view) return view.error();
    return std::optional(std::move(*view));
}

api::JudgedState Desk::host_state(const std::string& host_id) {
    const auto index = conductor_.judge().find_host(host_id);
    const auto& hosts = conductor_.judge().verdicts().hosts;
    if (!index || *index >= hosts.size()) return {};
    const auto& host = hosts[*index];
    return {std::string(judge::to_string(host.state)), to_wall(conductor_, host.since)};
}

api::JudgedState Desk::process_state(const std::string& host_id, const std::string& process) {
    const auto index = conductor_.judge().find_host(host_id);
    if (!index) return {};
    for (const auto& each : conductor_.judge().verdicts().processes)
        if (each.host == *index && each.name == process)
            return {std::string(judge::to_string(each.state)), to_wall(conductor_, each.since)};
    return {};
}

unsigned Desk::stale_intervals() {
    return conductor_.config().rules.stale_intervals;
}

std::string Desk::not_ready() {
    return seams_.not_ready();
}

bool Desk::is_leader() {
    return conductor_.leader().leads();
}

std::string Desk::metrics() {
    return seams_.metrics();
}

base::Result<std::vector<std::pair<std::int64_t, double>>> Desk::history(
    const std::string& host_id, const std::string& metric, std::int64_t since_wall_ms
) {
    return history_.query(host_id, metric, since_wall_ms);
}

api::Outcome<api::Done> Desk::set_mode(
    const api::Actor& actor,
    const std::string& scenario,
    const std::string& mode,
    const std::string& reason
) {
    return conductor_.set_mode(actor, scenario, mode, reason);
}

api::Outcome<api::Done> Desk::pause(
    const api::Actor& actor, const std::string& reason, std::optional<std::int64_t> until_wall_ms
) {
    return conductor_.pause(actor, reason, until_wall_ms);
}

api::Outcome<api::Done> Desk::unpause(const api::Actor& actor) {
    return conductor_.unpause(actor);
}

api::Outcome<api::RunView> Desk::start_run(
    const api::Actor& actor, const api::RunRequest& request
) {
    return to_view(conductor_.start_run(actor, request), conductor_);
}

api::Outcome<api::RunView> Desk::order_run(const api::Actor& actor, const api::RunOrder& order) {
    return to_view(conductor_.order_run(actor, order), conductor_);
}

base::Result<void> Desk::commit(const store::Transaction& transaction) {
    const auto done = conductor_.leader().commit(transaction);
    if (!done) return done.error();
    return {};
}

base::Result<void> Desk::audit(const store::AuditDraft& line) {
    store::Transaction transaction;
    transaction.audit.push_back(line);
    return commit(transaction);
}

base::Result<std::vector<store::AuditEntry>> Desk::audit_entries(
    std::uint64_t after, std::size_t limit
) {
    return conductor_.store().audit(after, limit);
}

base::Result<std::uint64_t> Desk::audit_last() {
    return conductor_.store().audit_last();
}

base::Result<store::AuditCheck> Desk::verify_audit() {
    return conductor_.store().verify_audit();
}

base::Result<std::optional<store::User>> Desk::find_user(const std::string& name) {
    return store::find_user(conductor_.store(), name);
}

base::Result<void> Desk::save_user(const store::User& user) {
    store::Transaction transaction;
    store::save_user(transaction, user);
    return commit(transaction);
}

base::Result<std::vector<store::Session>> Desk::sessions() {
    return store::list_sessions(conductor_.store());
}

base::Result<void> Desk::save_session(const store::Session& session) {
    store::Transaction transaction;
    store::save_session(transaction, session);
    return commit(transaction);
}

base::Result<void> Desk::remove_session(const std::string& token_digest) {
    store::Transaction transaction;
    store::remove_session(transaction, token_digest);
    return commit(transaction);
}

}  // namespace twinsite::switchover
