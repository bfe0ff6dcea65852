// SPDX-License-Identifier: Apache-2.0
#include "tests/switchover/judge/world.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

namespace twinsite::switchover::judge {

using namespace std::chrono_literals;

model::Plan two_sites(const std::string& judge_place) {
    model::Plan out;
    out.node = "sw-1";
    out.site = judge_place;
    for (const std::string site : {"east", "west"}) {
        out.sites.push_back({site, {site, site}, std::nullopt});
        out.agents.push_back({site, "if1", "interface"});
        out.agents.push_back({site, "proc1", "processing"});
        out.monitors.push_back({site, "mon-" + site});
        out.gslbs.push_back({"gslb-" + site, site, {}});
        out.slbs.push_back({"slb-" + site, site, {}});
    }
    out.monitors.push_back({"arbiter", "mon-arbiter"});
    out.services.push_back({"ocs", {"Charging", "计费"}});
    return out;
}

Rules quick_rules() {
    Rules out;
    out.first_report = 5s;
    out.site_down_for = 3s;
    out.recover_for = 2s;
    out.process_for = 3s;
    out.host_for = 3s;
    out.flap_period = 1s;
    return out;
}

World::World(model::Plan plan, Rules rules) : rules_(rules), plan_(std::move(plan)) {
    restart_judge();
}

void World::restart_judge() {
    judge_ = std::make_unique<Judge>(plan_, rules_, now_);
    failures_.clear();
}

void World::kill_site(const std::string& site) {
    for (const auto& agent : plan_.agents)
        if (agent.site == site) dead_hosts.insert(agent.id());
    for (const auto* kind : {"mon-", "gslb-", "slb-"}) dead_members.insert(kind + site);
}

void World::revive_site(const std::string& site) {
    for (const auto& agent : plan_.agents)
        if (agent.site == site) dead_hosts.erase(agent.id());
    for (const auto* kind : {"mon-", "gslb-", "slb-"}) dead_members.erase(kind + site);
}

bool World::link(const std::string& a, const std::string& b) const {
    if (a == b) return true;
    if (cut_off.contains(a) || cut_off.contains(b)) return false;
    return !cuts.contains({a, b}) && !cuts.contains({b, a});
}

bool World::site_answers(const std::string& site) const {
    return alive("gslb-" + site) || alive("slb-" + site);
}

void World::report(std::size_t index) {
    const auto& agent = plan_.agents[index];
    if (dead_hosts.contains(agent.id()) || !link(agent.site, plan_.site)) return;
    const auto found = charging.find(agent.id());
    const std::array processes{
        ProcessReading{"charging", found == charging.end() ? ProcessState::up : found->second, 0}
    };
    HostReading reading;
    reading.measured = now_;
    reading.interval = 1s;
    reading.disk_used_percent = 40;
    reading.memory_used_percent = 50;
    if (agent.kind == "processing") reading.processes = processes;
    judge_->observe_report(index, reading);
}

void World::probe() {
    // Each monitor, and each gslb by its health view, looks at both sites.
    std::vector<std::pair<std::string, std::string>> observers;
    for (const auto& monitor : plan_.monitors) observers.emplace_back(monitor.name, monitor.site);
    for (const auto& gslb : plan_.gslbs) observers.emplace_back(gslb.name, gslb.site);
    for (const auto& [name, place] : observers) {
        if (!alive(name) || !link(place, plan_.site)) continue;
        for (const auto& site : plan_.sites) {
            const bool ok = link(place, site.name) && site_answers(site.name);
            const auto subject = "site:" + site.name;
            judge_->observe_probe({name, "reach-" + site.name, subject, "", ok, now_, 1s});
        }
        if (!name.starts_with("mon-")) continue;
        for (const std::string view : {"east", "west"}) {
            const auto found = answers.find(view);
            const bool ok = found == answers.end() || found->second;
            judge_->observe_probe({name, "as-" + view, "service:ocs", view, ok, now_, 1s});
        }
    }
}

void World::poll() {
    for (const auto& member : judge_->verdicts().members) {
        const auto index = judge_->find_member(member.name);
        const bool reached = alive(member.name) && link(member.place, plan_.site);
        if (member.kind == MemberKind::monitor && !reached) continue;  // it is the one who calls
        MemberReading reading;
        reading.reachable = reached;
        reading.in_sync = truth_of(!out_of_sync.contains(member.name));
        reading.ready = truth_of(member_ready);
        reading.at = now_;
        judge_->observe_member(*index, reading);
    }
}

void World::run(Ms duration) {
    for (const auto end = now_ + duration; now_ < end;) {
        now_ += 500ms;
        if ((now_.time_since_epoch() / 500ms) % 2 == 0) {
            for (std::size_t i = 0; i < plan_.agents.size(); ++i) report(i);
            probe();
            poll();
        }
        for (const auto& change : judge_->evaluate(now_).changes)
            if (change.kind == EntityKind::site && change.to == State::failed)
                ++failures_[plan_.sites[change.index].name];
    }
}

std::optional<Ms> World::run_until(
    std::string_view name, const std::string& argument, Truth truth, Ms limit
) {
    const auto start = now_;
    while (is(name, argument) != truth) {
        if (now_ - start >= limit) return std::nullopt;
        run(500ms);
    }
    return std::chrono::duration_cast<Ms>(now_ - start);
}

const SiteVerdict& World::site(std::string_view name) const {
    return judge_->verdicts().sites[*plan_.find_site(name)];
}

Truth World::is(std::string_view name, const std::vector<std::string>& arguments) const {
    const auto fact = judge_->fact(name, arguments);
    EXPECT_TRUE(fact) << name;
    return fact ? fact->truth : Truth::unknown;
}

Truth World::is(std::string_view name, const std::string& argument) const {
    return is(name, std::vector<std::string>{argument});
}

std::vector<Gate> World::why(std::string_view name, const std::string& argument) const {
    return judge_->why(name, std::vector<std::string>{argument});
}

std::set<std::string> World::failed_gates(std::string_view name, const std::string& argument)
    const {
    std::set<std::string> out;
    for (const auto& gate : why(name, argument))
        if (!gate.ok) out.insert(gate.code);
    return out;
}

unsigned World::failures(std::string_view site_name) const {
    const auto found = failures_.find(std::string(site_name));
    return found == failures_.end() ? 0 : found->second;
}

}  // namespace twinsite::switchover::judge
