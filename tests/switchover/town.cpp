// SPDX-License-Identifier: Apache-2.0
#include "tests/switchover/town.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "wire/contract/report.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;
using scenario::Event;

constexpr const char* kConfig = R"(node: sw
site: arbiter
machine: {listen: 127.0.3.30:8444, tls: {certificate: a.crt, key: a.key, ca: ca.crt}}
signing: {certificate: s.crt, key: s.key}
state: {directory: state}
judge: {tick: 500ms, stale_intervals: 3, first_report: 5s, site_down_for: 3s, recover_for: 3s, business_hold: 1s, process_for: 3s, member_for: 3s}
sites: [{name: east}, {name: west}]
agents: [{site: east, name: if1, kind: interface}, {site: east, name: proc1, kind: processing}, {site: west, name: if1, kind: interface}, {site: west, name: proc1, kind: processing}]
monitors: [{site: east, name: mon-east}, {site: west, name: mon-west}, {site: arbiter, name: mon-arbiter}]
gslbs: [{name: gslb-east, site: east, control: 127.0.1.10:8440}, {name: gslb-west, site: west, control: 127.0.2.10:8440}]
slbs: [{name: slb-east, site: east, control: 127.0.1.20:8440}, {name: slb-west, site: west, control: 127.0.2.20:8440}]
services: [{name: ocs}]
scenarios: {directory: scenarios, report_interval: 500ms, dns_tail: 1s}
)";

Config parse_town() {
    auto document = base::config::Document::parse(kConfig, "town.yaml");
    auto out = parse_config(document.root());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    return out;
}

}  // namespace

const char* const Town::kEastDown = R"(schema: twinsite/1
scenario: east-down
kind: site-down
site: east
mode: auto
rto_target: 60s
trigger: {all: [site.down(east)]}
require: [site.ok(west)]
defaults: {timeout: 5s, tries: 1, backoff: 500ms, on_fail: pause}
steps:
  - id: tell
    do: {agent.run: {action: note.write, host: west/if1}}
  - id: pin
    needs: [tell]
    do: {gslb.set: {site: east, state: out}}
    post: [gslb.applied(east) == out]
  - id: tell-again
    needs: [pin]
    do: {agent.run: {action: note.write, host: west/proc1}}
verify: {check: [business.good(ocs)], hold: 1s, within: 10s}
failback: failback-east
cooldown: 0s
)";

const char* const Town::kFailback = R"(schema: twinsite/1
scenario: failback-east
kind: failback
site: east
mode: semi
require: [site.ok(east)]
defaults: {timeout: 5s, tries: 1, backoff: 500ms, on_fail: pause}
steps:
  - id: bring-in
    do: {gslb.set: {site: east, state: in}}
)";

Town::Town(std::vector<std::string> sources) : config_(parse_town()) {
    for (const auto& source : sources) {
        const auto entry = parse_entry(config_, source, "scenario.yaml");
        EXPECT_TRUE(entry) << source;
        if (entry) book_[entry->scenario.name] = entry;
    }
    build();
}

void Town::build() {
    store::OpenFailure failure;
    store_ = store::open_sqlite(
        {.directory = folder_.path(), .wall_ms = [this] { return wall_; }}, failure
    );
    ASSERT_TRUE(store_) << failure.text;
    leader_ = std::make_unique<lead::Leader>(*store_, "sw");
    if (takes_lead) ASSERT_TRUE(leader_->take());
    Conductor::Seams seams;
    seams.wall_ms = [this] { return wall_; };
    seams.now = [this] { return now_; };
    seams.carry_out = [this](const scenario::Effect& effect, auto report) {
        if (effect.kind == scenario::Effect::Kind::cancel) {
            std::erase_if(pending, [&](const Pending& each) {
                return each.effect.op_id == effect.op_id;
            });
            return;
        }
        pending.push_back({effect, std::move(report)});
    };
    seams.drop_effects = [this] {
        ++dropped;
        pending.clear();
    };
    seams.run_changed = [](const DrivenRun&) {};
    conductor_ = std::make_unique<Conductor>(config_, book_, *store_, *leader_, std::move(seams));
    ASSERT_TRUE(conductor_->start());
}

void Town::restart(std::chrono::milliseconds down) {
    pending.clear();
    conductor_.reset();
    leader_.reset();
    store_.reset();
    now_ += down;
    wall_ += down.count();
    build();
}

void Town::lead() {
    ASSERT_TRUE(leader_->take());
    ASSERT_TRUE(conductor_->start());
}

void Town::pass(std::chrono::milliseconds duration) {
    for (auto left = duration; left > 0ms; left -= 500ms) {
        now_ += 500ms;
        wall_ += 500;
        report_all();
        conductor_->tick();
        if (!hold_effects) answer_effects();
    }
}

bool Town::pass_until(const std::function<bool()>& done, std::chrono::seconds most) {
    for (auto left = std::chrono::milliseconds(most); left > 0ms; left -= 500ms) {
        if (done()) return true;
        pass(500ms);
    }
    return done();
}

void Town::report_host(const std::string& site, const std::string& name) {
    auto report = std::make_shared<wire::contract::Report>();
    report->site = site;
    report->name = name;
    report->interval_ms = 500;
    report->seq = ++seq_;
    if (const auto found = processes.find(site + "/" + name); found != processes.end()) {
        auto& sample = report->samples.emplace_back();
        sample.collector = "process";
        sample.instance = "charging";
        sample.texts = {{"state", found->second}};
    }
    fleet::Host host;
    host.id = site + "/" + name;
    host.site = site;
    host.name = name;
    host.last = report;
    host.received = now_;
    host.measured = now_;
    host.interval = 500ms;
    conductor_->hear(host);
}

void Town::probe(const std::string& observer, const std::string& site, bool ok) {
    fleet::ProbeFact fact;
    fact.observer = observer;
    fact.name = site + "-slb";
    fact.kind = "http";
    fact.subject = "site:" + site;
    fact.ok = ok;
    fact.at = now_;
    fact.wall_ms = wall_;
    fact.interval = 500ms;
    conductor_->hear(fact);
}

void Town::report_all() {
    if (!link) return;
    const auto monitor = [this](const std::string& site, const std::string& name) {
        fleet::MonitorState state;
        state.id = site + "/" + name;
        state.site = site;
        state.name = name;
        state.heard = true;
        state.received = now_;
        state.interval = 500ms;
        conductor_->hear(state);
    };
    const auto member =
        [this](const std::string& name, const std::string& site, bool gslb, bool lives) {
            execute::MemberView view;
            view.member.name = name;
            view.member.site = site;
            view.member.kind = gslb ? execute::MemberKind::gslb : execute::MemberKind::slb;
            view.reachable = lives;
            view.asked = now_;
            if (lives) view.heard = now_;
            view.in_sync = lives;
            view.ready = lives;
            if (gslb && lives) {
                const bool sees_east = site == "east" ? east : east && east_sees_west;
                const bool sees_west = site == "west" ? west : west && east_sees_west;
                view.sites = {
                    {"east", "ocs", sees_east ? "up" : "down", "", "", sees_east},
                    {"west", "ocs", sees_west ? "up" : "down", "", "", sees_west}
                };
            }
            conductor_->hear(view);
        };
    const bool hears_east = east && arbiter_sees_east;
    for (const auto* site : {"east", "west"}) {
        const bool lives = std::string(site) == "east" ? hears_east : west;
        member("gslb-" + std::string(site), site, true, lives);
        member("slb-" + std::string(site), site, false, lives);
        if (!lives) continue;
        report_host(site, "if1");
        report_host(site, "proc1");
        monitor(site, "mon-" + std::string(site));
    }
    if (hears_east) probe("east/mon-east", "west", west && east_sees_west);
    if (west) probe("west/mon-west", "east", east && east_sees_west);
    monitor("arbiter", "mon-arbiter");
    probe("arbiter/mon-arbiter", "east", hears_east);
    probe("arbiter/mon-arbiter", "west", west);
    for (const auto* view : {"east", "west"}) {
        fleet::ProbeFact fact;
        fact.observer = "arbiter/mon-arbiter";
        fact.name = std::string("ocs-as-") + view;
        fact.kind = "charging";
        fact.subject = "service:ocs";
        fact.view = view;
        fact.ok = users;
        fact.at = now_;
        fact.wall_ms = wall_;
        fact.interval = 500ms;
        conductor_->hear(fact);
    }
}

void Town::answer_effects() {
    const auto now = std::exchange(pending, {});
    for (const auto& each : now) answer(each);
}

void Town::answer(const Pending& each) {
    const auto& effect = each.effect;
    if (effect.kind == scenario::Effect::Kind::check) {
        bool good = true;
        for (const auto& check : effect.checks) {
            if (check.name == "gslb.applied") {
                good &= is_wanted_out(check.arguments[0]) == (check.value == "out");
                continue;
            }
            const auto fact = conductor_->fact(check);
            good &= fact && scenario::satisfied(check, *fact);
        }
        // A check may become true as long as its time lasts: looked at again.
        if (good)
            each.report(Event::result_of(effect.op_id, Event::Outcome::ok));
        else
            pending.push_back(each);
        return;
    }
    if (effect.action.name == "agent.run") {
        // As an agent does: the same operation is executed once.
        ++executed.try_emplace(effect.op_id, 0).first->second;
        if (executed[effect.op_id] > 1) executed[effect.op_id] = 1;
    }
    if (effect.action.name == "gslb.set") {
        const auto& parameters = effect.action.parameters;
        store::WantedState wanted;
        wanted.receiver = "gslb";
        wanted.object = "site:" + parameters.at("site");
        wanted.state = parameters.at("state");
        wanted.by = "run";
        const auto done = conductor_->want(wanted);
        if (!done) {
            each.report(
                Event::result_of(effect.op_id, Event::Outcome::failed, done.error().message())
            );
            return;
        }
    }
    each.report(Event::result_of(effect.op_id, Event::Outcome::ok));
}

std::vector<scenario::Run> Town::stored_runs() {
    std::vector<scenario::Run> out;
    const auto records = store::list_runs(*store_, 100);
    EXPECT_TRUE(records);
    if (!records) return out;
    for (const auto& record : *records) {
        auto run = scenario::decode_run(record.body);
        EXPECT_TRUE(run);
        if (run) out.push_back(std::move(*run));
    }
    return out;
}

std::size_t Town::audited(const std::string& action) {
    std::size_t out = 0;
    const auto lines = store_->audit(0, 1000);
    if (lines)
        for (const auto& line : *lines) out += line.action == action;
    return out;
}

}  // namespace twinsite::switchover
