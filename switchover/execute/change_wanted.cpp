// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/async/deadline.hpp"
#include "switchover/execute/hands.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
using store::WantedState;

namespace {

constexpr std::chrono::milliseconds kLook{20};

/// What the effect wants, once per receiver.
std::vector<WantedState> wanted_by(const Hands& hands, const scenario::Effect& effect) {
    const auto& given = effect.action.parameters;
    WantedState one;
    one.reason = effect.reason;
    one.by = effect.op_id;
    one.since_wall_ms = hands.seams.wall_ms();
    if (effect.action.name == "gslb.set") {
        const auto service = given.find("service");
        one.receiver = "gslb";
        one.object = service == given.end() ? "site:" + given.at("site")
                                            : "service:" + service->second + "@" + given.at("site");
        one.state = given.at("state");
        return {one};
    }
    one.object = "blade:" + given.at("blade");
    one.state = effect.action.name == "slb.drain" ? "drain" : "active";
    std::vector<WantedState> out;
    for (const auto index : members_of(hands, MemberKind::slb, given.at("site"))) {
        one.receiver = "slb/" + hands.members.view(index).member.name;
        out.push_back(one);
    }
    return out;
}

/// Notes in each change what was wanted before it, so that it can be taken back, also after a
/// restart: a change of this very operation keeps what it noted then.
void note_former(const std::vector<WantedState>& now, std::vector<WantedState>& changes) {
    for (auto& change : changes) {
        change.former.emplace();
        change.former->state = change.receiver == "gslb" ? "in" : "active";
        for (const auto& each : now) {
            if (each.receiver != change.receiver || each.object != change.object) continue;
            if (each.by != change.by)
                change.former = {each.state, each.reason, each.by, each.since_wall_ms};
            else if (each.former)
                change.former = each.former;
        }
    }
}

std::optional<base::Error> write(const Hands& hands, const std::vector<WantedState>& states) {
    for (const auto& state : states)
        if (const auto kept = hands.seams.want(state); !kept) return kept.error();
    return std::nullopt;
}

/// Takes changes back, save those that somebody else has changed again since.
void take_back(const Hands& hands, const std::vector<WantedState>& changes) {
    const auto now = hands.seams.wanted();
    if (!now) return;  // the record keeps what was before
    for (auto change : changes) {
        const auto foreign = [&change](const WantedState& each) {
            return each.receiver == change.receiver && each.object == change.object &&
                   each.by != change.by;
        };
        if (std::any_of(now->begin(), now->end(), foreign)) continue;
        const auto former = *change.former;
        change.former.reset();
        change.state = former.state;
        if (!former.by.empty()) {  // else nothing was wanted: taken back in our own name
            change.reason = former.reason;
            change.by = former.by;
            change.since_wall_ms = former.since_wall_ms;
        }
        if (const auto kept = hands.seams.want(change); !kept) return;
    }
}

struct Tally {
    std::string told;
    std::string missing;
    std::string refused;
    bool waiting = false;

    std::string text() const {
        std::string out = told.empty() ? "" : "told " + told;
        if (!refused.empty()) out += (out.empty() ? "" : "; ") + ("refused by " + refused);
        if (!missing.empty()) out += (out.empty() ? "" : "; ") + ("not reached: " + missing);
        return out.empty() ? "there is nobody to tell" : out;
    }
};

void add(std::string& list, const std::string& name, const std::string& why) {
    list += (list.empty() ? "" : ", ") + name + (why.empty() ? "" : " (" + why + ")");
}

Tally count(const Hands& hands, const std::vector<std::size_t>& whom, std::uint64_t ticket) {
    Tally out;
    for (const auto index : whom) {
        const auto& told = hands.members.told(index);
        const auto& name = hands.members.view(index).member.name;
        if (told.ticket < ticket)
            out.waiting = true;
        else if (told.outcome == Told::Outcome::done)
            add(out.told, name, "");
        else if (told.outcome == Told::Outcome::refused)
            add(out.refused, name, told.text);
        else
            add(out.missing, name, told.text);
        if (told.ticket < ticket) add(out.missing, name, "no answer yet");
    }
    return out;
}

}  // namespace

std::vector<std::size_t> members_of(const Hands& hands, MemberKind kind, const std::string& site) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < hands.members.size(); ++i) {
        const auto& member = hands.members.view(i).member;
        if (member.kind == kind && (site.empty() || member.site == site)) out.push_back(i);
    }
    return out;
}

asio::awaitable<Finished> change_wanted(Hands hands, scenario::Effect effect) {
    const bool gslb = effect.action.name == "gslb.set";
    const auto site = gslb ? std::string() : effect.action.parameters.at("site");
    const auto whom = members_of(hands, gslb ? MemberKind::gslb : MemberKind::slb, site);
    const auto before = hands.seams.wanted();
    if (!before) co_return failed("what is wanted cannot be read: " + before.error().message());
    auto changes = wanted_by(hands, effect);
    note_former(*before, changes);
    if (const auto failure = write(hands, changes)) {
        take_back(hands, changes);  // those that were kept
        co_return failed("what is wanted cannot be kept: " + failure->message());
    }
    const auto ticket = hands.members.tell_all();
    const auto until = Clock::now() + effect.limit;
    auto tally = count(hands, whom, ticket);
    while (tally.waiting && Clock::now() < until) {
        co_await base::async::sleep_for(kLook);
        tally = count(hands, whom, ticket);
    }
    if (tally.refused.empty() && !tally.told.empty()) co_return done(tally.text());
    // A list with a refused part is refused as a whole: later changes would fail as well. And what
    // nobody was told must not happen later by itself, when the run has long failed.
    take_back(hands, changes);
    hands.members.tell_all();
    co_return failed(tally.text());
}

}  // namespace twinsite::switchover::execute
