// SPDX-License-Identifier: Apache-2.0
// The program as a member of its group: the wires between the group and the other parts.
#include <algorithm>

#include "base/log/log.hpp"
#include "gslb/control/cookie_file.hpp"
#include "gslb/running.hpp"

namespace twinsite::gslb {
namespace {

namespace log = base::log;
using base::daemon::StartError;
using log::Level;
using std::chrono::milliseconds;

wire::group::Observation to_observation(const health::Vote& vote) {
    const auto age = std::max<milliseconds::rep>(vote.age.count(), 0);
    const auto rtt = std::max<std::chrono::microseconds::rep>(vote.rtt.count(), 0);
    return {
        vote.target,
        vote.check,
        vote.seq,
        health::to_string(vote.result),
        static_cast<std::uint64_t>(rtt),
        static_cast<std::uint64_t>(age)
    };
}

health::Vote to_vote(const std::string& observer, const wire::group::Observation& heard) {
    health::Vote out;
    out.observer = observer;
    out.target = heard.target;
    out.check = heard.check;
    out.seq = heard.seq;
    if (heard.result == "up") out.result = health::State::up;
    if (heard.result == "down") out.result = health::State::down;
    out.rtt = std::chrono::microseconds(heard.rtt_us);
    out.age = milliseconds(heard.age_ms);
    return out;
}

}  // namespace

void Running::make_group() {
    if (!intent_->config.group) return;
    group_ = std::make_unique<GroupMember>(
        process_.io(), config_file_, intent_->config, *helm_, group_seams(), keeper_seams()
    );
    if (const auto opened = group_->open(intent_->setup.configuration); !opened)
        throw StartError("group: " + opened.error().message());
}

std::optional<std::string> Running::connect_group() {
    if (!group_) return std::nullopt;
    const auto connected = group_->connect();
    if (connected) return std::nullopt;
    return "cannot listen on " + to_string(intent_->config.group->listen) + ": " +
           connected.error().message();
}

GroupMember::Seams Running::group_seams() {
    GroupMember::Seams out;
    out.votes = [this] {
        std::vector<wire::group::Observation> list;
        for (const auto& vote : observatory_->own_votes()) list.push_back(to_observation(vote));
        return list;
    };
    out.take_votes = [this](const wire::group::Observations& heard) {
        for (const auto& each : heard.list) observatory_->take(to_vote(heard.observer, each));
    };
    out.hears_other_site = [this](std::optional<bool> heard) {
        using health::Sign;
        observatory_->set_peer(!heard ? Sign::none : *heard ? Sign::good : Sign::bad);
    };
    out.loads = [this] {
        std::vector<wire::group::Load> list;
        for (const auto& load : helm_->measurements().load_views()) {
            if (!load.last) continue;
            const auto age = std::max((helm_->time() - load.last->heard_at).count(), 0L);
            list.push_back(
                {load.service,
                 load.target,
                 load.last->percent,
                 load.last->seq,
                 static_cast<std::uint64_t>(age)}
            );
        }
        return list;
    };
    out.take_loads = [this](const wire::group::Loads& heard) {
        // One of a service that we do not have may come from a member with a newer intent.
        for (const auto& load : heard.list)
            helm_->report_load(
                {load.service, load.target, load.load_percent, load.seq, milliseconds(load.age_ms)}
            );
        helm_->use_reports();
    };
    out.secrets = [this] {
        const auto& secrets = listeners_->cookie_secrets();
        wire::group::Secrets shared;
        shared.current = control::cookie_secret_text(secrets.current);
        if (secrets.other) shared.next = control::cookie_secret_text(*secrets.other);
        return shared;
    };
    out.take_secrets = [this](const wire::group::Secrets& heard) { take_cookie_secrets(heard); };
    return out;
}

void Running::take_cookie_secrets(const wire::group::Secrets& heard) {
    const auto current = control::parse_cookie_secret(heard.current);
    if (!current) return;  // of a newer program, perhaps
    wire::dns::CookieSecrets secrets;
    secrets.current = *current;
    secrets.other = control::parse_cookie_secret(heard.next);
    listeners_->set_cookie_secrets(secrets);
    if (const auto kept = keep_cookie_secrets(secrets); !kept)
        log::event(
            Level::error,
            "state_not_saved",
            {{"what", "cookie secrets"}, {"cause", kept.error().message()}}
        );
}

IntentKeeper::Seams Running::keeper_seams() {
    IntentKeeper::Seams out;
    out.hinders = [this](const LoadedIntent& loaded) {
        auto findings = find_hindrances(loaded);
        // Moving sockets can fail, and must not once the version is on the disk.
        if (findings.empty() && loaded.intent->config.listen != intent_->config.listen)
            findings = {"$.listen: gslb.yaml was changed and not reloaded; reload it first"};
        return findings;
    };
    out.adopt = [this](const LoadedIntent& loaded) { adopt(loaded); };
    out.in_force = [this] { return intent_; };
    out.on_loop = [this](const std::function<void()>& work) { return run_on_loop(work); };
    return out;
}

control::GroupSeams Running::make_group_api_seams() {
    control::GroupSeams out;
    const auto with_keeper = [this](const auto& work) {
        control::IntentOutcome none;
        none.refusal = "this node is in no group: there is no 'group' in its configuration";
        return group_ ? work(group_->keeper()) : none;
    };
    out.check = [with_keeper](const control::IntentRequest& request) {
        return with_keeper([&](IntentKeeper& keeper) { return keeper.check(request); });
    };
    out.apply = [with_keeper](const control::IntentRequest& request) {
        return with_keeper([&](IntentKeeper& keeper) { return keeper.apply(request); });
    };
    out.rollback =
        [with_keeper](const wire::group::IntentVersion& to, const control::IntentRequest& request) {
            return with_keeper([&](IntentKeeper& keeper) { return keeper.roll_back(to, request); });
        };
    out.view = [this] { return group_ ? group_->view() : control::GroupView(); };
    return out;
}

}  // namespace twinsite::gslb
