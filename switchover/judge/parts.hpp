// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "switchover/judge/business.hpp"
#include "switchover/judge/hosts.hpp"
#include "switchover/judge/judge.hpp"
#include "switchover/judge/members.hpp"
#include "switchover/judge/places.hpp"
#include "switchover/judge/probes.hpp"
#include "switchover/judge/site_judge.hpp"

namespace twinsite::switchover::judge {

/// All that a Judge knows.
struct Parts {
    Parts(model::Plan the_plan, Rules the_rules, Time now)
        : plan(std::move(the_plan)),
          rules(the_rules),
          places(plan),
          hosts(plan, places, rules, now),
          probes(plan, places, rules),
          members(plan, places, rules),
          business(plan, rules),
          sites(plan, places, rules, probes, now) {
        said.at = now;
        said.blind.since = now;
        said.sites.resize(plan.sites.size());
        said.hosts.resize(plan.agents.size());
        said.members = members.said();
        said.services.resize(plan.services.size());
        for (auto& verdict : said.sites) verdict.since = now;
        for (auto& verdict : said.hosts) verdict.since = now;
        for (auto& verdict : said.members) verdict.since = now;
        for (auto& verdict : said.services) verdict.since = now;
    }

    std::optional<std::size_t> find_service(std::string_view name) const {
        const auto* service = plan.find_service(name);
        if (!service) return std::nullopt;
        return static_cast<std::size_t>(service - plan.services.data());
    }

    const model::Plan plan;
    const Rules rules;
    const Places places;
    Hosts hosts;
    Probes probes;
    Members members;
    Business business;
    SiteJudge sites;
    Heard heard;
    Verdicts said;
};

}  // namespace twinsite::switchover::judge
