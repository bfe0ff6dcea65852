// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "switchover/api/backend.hpp"

namespace twinsite::switchover::api {

/// A backend that keeps everything in plain members, for tests. Used on the server's thread only.
class FakeBackend : public Backend {
public:
    OverviewView shown;
    std::uint64_t revision = 1;
    std::map<std::string, RunView> kept_runs;
    std::map<std::string, std::pair<std::string, std::string>> answers;  // key: digest, run
    std::map<std::string, std::string> kept_modes{{"site-east-down", "auto"}};
    std::optional<PauseView> paused;
    std::optional<Refusal> refusal;  // of the next change
    std::vector<store::AuditEntry> lines;
    std::map<std::string, store::User> users;
    std::map<std::string, store::Session> kept_sessions;
    std::string why_not_ready;
    bool leader = true;
    bool store_works = true;
    std::vector<RunOrder> orders;
    std::vector<RunRequest> requests;

    static base::Error broken() { return make_error_code(boost::system::errc::io_error); }

    OverviewView overview() override {
        auto out = shown;
        out.pause = paused;
        for (const auto& [id, run] : kept_runs)
            if (!run.ended_wall) out.active_runs.push_back(run);
        return out;
    }
    std::uint64_t overview_revision() override { return revision; }
    std::vector<ScenarioSummary> scenarios() override {
        std::vector<ScenarioSummary> out;
        for (const auto& [name, mode] : kept_modes) out.push_back(summary(name, mode));
        return out;
    }
    std::optional<ScenarioDetail> scenario(const std::string& name) override {
        if (!kept_modes.contains(name)) return std::nullopt;
        return ScenarioDetail{
            summary(name, kept_modes.at(name)), "schema: 1\n", {"too-slow: text"}
        };
    }
    std::optional<WhyView> why(const std::string& name) override {
        if (!kept_modes.contains(name)) return std::nullopt;
        WhyView out;
        out.scenario = name;
        out.verdict = "held";
        out.gates = {gate("blind", false)};
        out.trigger = {gate("votes", true)};
        return out;
    }
    std::vector<AlarmView> alarms() override {
        return {{"blind", "critical", "the judge is blind", 1'000, {{"site", "east"}}}};
    }
    base::Result<std::vector<RunView>> runs(std::size_t limit, const std::string&) override {
        if (!store_works) return broken();
        std::vector<RunView> out;
        for (auto at = kept_runs.rbegin(); at != kept_runs.rend() && out.size() < limit; ++at)
            out.push_back(at->second);
        return out;
    }
    base::Result<std::optional<RunView>> run(const std::string& id) override {
        if (!store_works) return broken();
        const auto at = kept_runs.find(id);
        return at == kept_runs.end() ? std::nullopt : std::optional(at->second);
    }
    JudgedState host_state(const std::string& host) override {
        return {host == "east/if1" ? "OK" : "UNKNOWN", 5'000};
    }
    JudgedState process_state(const std::string&, const std::string&) override {
        return {"FAILED", std::nullopt};
    }
    unsigned stale_intervals() override { return 3; }
    std::string not_ready() override { return why_not_ready; }
    bool is_leader() override { return leader; }
    std::string metrics() override { return "# EOF\n"; }
    base::Result<std::vector<std::pair<std::int64_t, double>>> history(
        const std::string& host, const std::string& metric, std::int64_t since
    ) override {
        if (!store_works) return broken();
        if (host != "east/if1" || metric != "cpu.idle")
            return std::vector<std::pair<std::int64_t, double>>{};
        return std::vector<std::pair<std::int64_t, double>>{{since, 91.5}, {since + 1'000, 90}};
    }

    Outcome<Done>
    set_mode(const Actor&, const std::string& name, const std::string& mode, const std::string&)
        override {
        if (refusal) return *std::exchange(refusal, std::nullopt);
        if (!kept_modes.contains(name))
            return Refusal{404, "not-found", "there is no scenario of this name", {}};
        kept_modes[name] = mode;
        return Done{};
    }
    Outcome<Done> pause(
        const Actor& actor, const std::string& reason, std::optional<std::int64_t> until
    ) override {
        if (refusal) return *std::exchange(refusal, std::nullopt);
        paused = PauseView{actor.who, reason, 1'000, until};
        return Done{};
    }
    Outcome<Done> unpause(const Actor&) override {
        if (!paused) return Refusal{409, "not-paused", "nothing is paused", {}};
        paused.reset();
        return Done{};
    }
    Outcome<RunView> start_run(const Actor& actor, const RunRequest& request) override {
        requests.push_back(request);
        if (const auto known = answers.find(request.idempotency_key);
            !request.idempotency_key.empty() && known != answers.end()) {
            if (known->second.first != request.digest)
                return Refusal{422, "idempotency-key", "the key was used for another request", {}};
            return kept_runs.at(known->second.second);
        }
        if (refusal) return *std::exchange(refusal, std::nullopt);
        if (!kept_modes.contains(request.scenario))
            return Refusal{404, "not-found", "there is no scenario of this name", {}};
        RunView out;
        out.id = "r01-" + std::to_string(kept_runs.size() + 1);
        out.scenario = request.scenario;
        out.state = "RUNNING";
        out.by = actor.who;
        out.reason = request.reason;
        StepView step;
        step.id = "pin";
        step.state = "PENDING";
        step.output = std::string(3'000, 'x');
        out.steps = {step};
        kept_runs[out.id] = out;
        if (!request.idempotency_key.empty())
            answers[request.idempotency_key] = {request.digest, out.id};
        return out;
    }
    Outcome<RunView> order_run(const Actor&, const RunOrder& order) override {
        orders.push_back(order);
        if (refusal) return *std::exchange(refusal, std::nullopt);
        const auto at = kept_runs.find(order.run);
        if (at == kept_runs.end())
            return Refusal{404, "not-found", "there is no run of this id", {}};
        return at->second;
    }

    base::Result<void> audit(const store::AuditDraft& draft) override {
        if (!store_works) return broken();
        store::AuditEntry entry;
        static_cast<store::AuditDraft&>(entry) = draft;
        entry.seq = lines.size() + 1;
        lines.push_back(entry);
        return {};
    }
    base::Result<std::vector<store::AuditEntry>> audit_entries(
        std::uint64_t after, std::size_t limit
    ) override {
        std::vector<store::AuditEntry> out;
        for (const auto& line : lines)
            if (line.seq > after && out.size() < limit) out.push_back(line);
        return out;
    }
    base::Result<std::uint64_t> audit_last() override { return lines.size(); }
    base::Result<store::AuditCheck> verify_audit() override {
        return store::AuditCheck{lines.size(), std::nullopt};
    }

    base::Result<std::optional<store::User>> find_user(const std::string& name) override {
        if (!store_works) return broken();
        const auto at = users.find(name);
        return at == users.end() ? std::nullopt : std::optional(at->second);
    }
    base::Result<void> save_user(const store::User& user) override {
        if (!store_works) return broken();
        users[user.name] = user;
        return {};
    }
    base::Result<std::vector<store::Session>> sessions() override {
        std::vector<store::Session> out;
        for (const auto& [digest, session] : kept_sessions) out.push_back(session);
        return out;
    }
    base::Result<void> save_session(const store::Session& session) override {
        if (!store_works) return broken();
        kept_sessions[session.token_digest] = session;
        return {};
    }
    base::Result<void> remove_session(const std::string& digest) override {
        kept_sessions.erase(digest);
        return {};
    }

    static GateView gate(const std::string& code, bool ok) {
        GateView out;
        out.code = code;
        out.ok = ok;
        out.have = "1 of 3";
        out.need = "2 of 3";
        out.age_ms = 120;
        return out;
    }

private:
    static ScenarioSummary summary(const std::string& name, const std::string& mode) {
        ScenarioSummary out;
        out.name = name;
        out.title = {"East is down", ""};
        out.mode = mode;
        out.effective_mode = mode;
        out.verdict = "idle";
        return out;
    }
};

}  // namespace twinsite::switchover::api
