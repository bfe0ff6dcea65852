// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"

namespace twinsite::switchover::judge {

using Ms = std::chrono::milliseconds;
inline Time at_ms(std::int64_t ms) {
    return Time{} + Ms(ms);
}

/// East and west with two agents, a monitor, a gslb and an slb each; a monitor at the arbiter;
/// service ocs. The server stands at `judge_place`.
model::Plan two_sites(const std::string& judge_place = "arbiter");
/// Those of the demo: report each second, 3 s until down.
Rules quick_rules();

/// A judge and the world that it hears, driven by a fake clock: every second each agent that lives
/// reports, each observer probes, each member is polled. Cuts are between places; what a judge
/// cannot hear does not reach it.
class World {
public:
    explicit World(model::Plan plan = two_sites(), Rules rules = quick_rules());

    // What is broken.
    std::set<std::string> dead_hosts;    ///< "east/if1"
    std::set<std::string> dead_members;  ///< "mon-east", "gslb-west"; monitors do not probe either
    std::set<std::string> cut_off;       ///< places without any link
    std::set<std::pair<std::string, std::string>> cuts;  ///< links, either order
    std::set<std::string> out_of_sync;                   ///< members without the wanted state
    std::map<std::string, bool> answers;                 ///< view -> service answers; default true
    std::map<std::string, ProcessState> charging;        ///< host -> process "charging"; default up
    bool member_ready = true;

    /// All of a site stops: agents, members.
    void kill_site(const std::string& site);
    void revive_site(const std::string& site);

    /// Time goes on by steps of 500 ms; events and one evaluation at each.
    void run(Ms duration);
    /// Until `name(argument)` is `truth`; gives the time it took, nullopt after `limit`.
    std::optional<Ms> run_until(
        std::string_view name, const std::string& argument, Truth truth, Ms limit
    );
    /// A new judge that knows nothing.
    void restart_judge();

    Time now() const { return now_; }
    Judge& judge() { return *judge_; }
    const SiteVerdict& site(std::string_view name) const;
    State state(std::string_view site_name) const { return site(site_name).state; }
    Truth is(std::string_view name, const std::string& argument) const;
    Truth is(std::string_view name, const std::vector<std::string>& arguments) const;
    std::vector<Gate> why(std::string_view name, const std::string& argument) const;
    /// Codes of the gates that are not ok.
    std::set<std::string> failed_gates(std::string_view name, const std::string& argument) const;
    /// How often a site became FAILED since the judge started.
    unsigned failures(std::string_view site_name) const;

private:
    bool link(const std::string& a, const std::string& b) const;
    bool alive(const std::string& member) const { return !dead_members.contains(member); }
    bool site_answers(const std::string& site) const;
    void report(std::size_t host);
    void probe();
    void poll();

    Rules rules_;
    model::Plan plan_;
    std::unique_ptr<Judge> judge_;
    Time now_ = at_ms(1'000'000);
    std::map<std::string, unsigned> failures_;
};

}  // namespace twinsite::switchover::judge
