// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/async/deadline.hpp"
#include "switchover/execute/dns_asker.hpp"
#include "switchover/execute/hands.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
using scenario::Expression;

namespace {

/// What was found for a fact: who says what. `value` only when all say the same.
struct Found {
    std::string value;
    std::string text;  ///< "west", "unknown" or "gslb-east: east, gslb-west: west"
};

Found agree(const std::map<std::string, std::string>& said, const std::string& nobody) {
    if (said.empty()) return {"", nobody};
    std::set<std::string> values;
    std::string text;
    for (const auto& [who, value] : said) {
        values.insert(value);
        text += (text.empty() ? "" : ", ") + who + ": " + value;
    }
    if (values.size() == 1) return {*values.begin(), *values.begin()};
    return {"", text};
}

std::string state_of(const MemberView& view, const std::string& object, const char* otherwise) {
    for (const auto& [name, state] : view.objects)
        if (name == object) return state;
    return otherwise;
}

Found applied(
    const Hands& hands, MemberKind kind, const std::string& site, const std::string& object
) {
    const bool gslb = kind == MemberKind::gslb;
    std::map<std::string, std::string> said;
    for (const auto index : members_of(hands, kind, site)) {
        const auto& view = hands.members.view(index);
        if (view.reachable) said[view.member.name] = state_of(view, object, gslb ? "in" : "active");
    }
    return agree(said, "no member can be reached");
}

Found count_clients(const Hands& hands, const std::string& site) {
    std::uint64_t sum = 0;
    bool someone = false;
    for (const auto index : members_of(hands, MemberKind::slb, site)) {
        const auto& view = hands.members.view(index);
        someone = someone || view.reachable;
        if (view.reachable) sum += view.clients;
    }
    if (!someone) return {"", "no member can be reached"};
    return {std::to_string(sum), std::to_string(sum)};
}

const Place* find_place(const Hands& hands, const std::string& site) {
    for (const auto& place : hands.settings.places)
        if (place.site == site) return &place;
    return nullptr;
}

/// The site that an answer means; else what is wrong with it.
std::string site_of(const Hands& hands, const base::Result<DnsAnswer>& answer) {
    if (!answer) return "no-answer";
    if (answer->addresses.empty()) return answer->rcode == "NOERROR" ? "empty" : answer->rcode;
    std::set<std::string> sites;
    for (const auto& address : answer->addresses) {
        std::string site = base::text::to_string(address);
        for (const auto& place : hands.settings.places)
            if (std::count(place.answers.begin(), place.answers.end(), address) > 0)
                site = place.site;
        sites.insert(site);
    }
    std::string out;
    for (const auto& site : sites) out += (out.empty() ? "" : "+") + site;
    return out;
}

asio::awaitable<Found> ask_gslbs(const Hands& hands, const Expression& wanted) {
    std::map<std::string, std::string> said;
    const auto* place = find_place(hands, wanted.arguments.at(1));
    const auto clients = place == nullptr ? std::nullopt : place->clients;
    for (const auto index : members_of(hands, MemberKind::gslb)) {
        const auto& view = hands.members.view(index);
        if (!view.reachable || !view.member.dns) continue;
        const auto answer = co_await ask_dns(
            *view.member.dns, wanted.arguments.at(0), clients, hands.settings.dns_limit
        );
        said[view.member.name] = site_of(hands, answer);
    }
    co_return agree(said, "no gslb can be reached");
}

asio::awaitable<Found> find_out(const Hands& hands, const Expression& wanted) {
    const auto& given = wanted.arguments;
    if (wanted.name == "dns.answer") co_return co_await ask_gslbs(hands, wanted);
    if (wanted.name == "gslb.applied")
        co_return applied(hands, MemberKind::gslb, "", "site:" + given.at(0));
    if (wanted.name == "slb.applied")
        co_return applied(hands, MemberKind::slb, given.at(0), "blade:" + given.at(1));
    if (wanted.name == "slb.clients") co_return count_clients(hands, given.at(0));
    const auto value = hands.seams.fact(wanted);
    co_return Found{value.value_or(""), value.value_or("unknown")};
}

/// What does not hold, in words; empty when all do.
asio::awaitable<std::string> look(const Hands& hands, const std::vector<Expression>& checks) {
    std::string out;
    for (const auto& wanted : checks) {
        const auto found = co_await find_out(hands, wanted);
        if (!found.value.empty() && scenario::satisfied(wanted, found.value)) continue;
        out += (out.empty() ? "" : "; ") + wanted.text + ": " + found.text;
    }
    co_return out;
}

}  // namespace

asio::awaitable<Finished> check(Hands hands, scenario::Effect effect, Progress progress) {
    constexpr std::chrono::milliseconds kShowEvery{1'000};
    const auto until = Clock::now() + effect.limit;
    std::optional<Clock::time_point> good_since;
    auto show_at = Clock::now() + kShowEvery;
    std::string shown;
    for (;;) {
        // Taken before the look: what became true meanwhile has not held since.
        const auto began = Clock::now();
        const auto wrong = co_await look(hands, effect.checks);
        const auto now = Clock::now();
        if (!wrong.empty())
            good_since.reset();
        else if (!good_since)
            good_since = now;
        if (good_since && began - *good_since >= effect.hold) co_return done("");
        if (good_since && effect.hold == std::chrono::milliseconds(0)) co_return done("");
        if (now >= until) co_return failed(wrong.empty() ? "true, but not for long enough" : wrong);
        if (!wrong.empty() && wrong != shown && now >= show_at) {
            progress(shown = wrong);
            show_at = now + kShowEvery;
        }
        co_await base::async::sleep_for(hands.settings.check_every);
    }
}

}  // namespace twinsite::switchover::execute
