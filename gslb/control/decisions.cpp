// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/decisions.hpp"

#include <algorithm>
#include <map>

#include "base/crypto/digest.hpp"
#include "base/text/text.hpp"
#include "gslb/steering/decide.hpp"
#include "gslb/steering/policy.hpp"

namespace twinsite::gslb::control {
namespace {

using wire::group::PolicyDigest;

constexpr std::size_t kShort = 16;

std::string short_hash(const std::string& text) {
    return base::crypto::sha256_hex(text).substr(0, kShort);
}

std::string text_of(const steering::Plan& plan, const steering::Service& service) {
    std::string out = std::to_string(static_cast<unsigned>(plan.mode)) + " " +
                      std::to_string(plan.type) + " " + std::to_string(plan.take);
    for (const auto& member : plan.members) {
        out += member.target == steering::kLastResort ? std::string("|last resort")
                                                      : "|" + service.targets[member.target].name;
        out += "*" + std::to_string(member.weight);
        for (const auto& rdata : member.rdatas)
            out += " " + base::text::to_hex(rdata.data(), rdata.size());
    }
    for (const auto& option : plan.options) {
        out += "|" + std::to_string(option.weight);
        for (const auto member : option.members) out += " " + std::to_string(member);
    }
    return out + "\n";
}

/// The answers of a policy to all classes of clients.
std::string table_of(
    const answer::Snapshot& snapshot,
    const steering::Policy& policy,
    const answer::ServiceStates& states,
    const steering::Facts& facts
) {
    const auto& steering = snapshot.steering();
    std::string text;
    for (const auto type : steering::steered_types(policy, steering))
        for (const auto& sites : snapshot.prefixes().classes()) {
            const auto plan =
                steering::decide(steering, policy, states[policy.service], sites, type, facts);
            text += text_of(plan, steering.services[policy.service]);
            if (!plan.client_dependent) break;
        }
    return short_hash(text);
}

/// What all policies follow from, beside the states of their own targets.
std::string common_inputs(const std::string& configuration, const steering::Facts& facts) {
    std::string text = configuration + "\n";
    for (const auto& [name, fact] : facts.values)
        text += name + " " + std::to_string(fact.value) + (fact.fresh ? " fresh\n" : " old\n");
    return text;
}

std::string text_of(const std::vector<steering::TargetState>& states) {
    std::string text;
    for (const auto& state : states) {
        text += to_string(state.health);
        text += std::string(" ") + to_string(word_of(state)) + " " +
                std::to_string(state.share_permille) + (state.last_up ? " last" : " -") +
                (state.returned ? " back " : " - ") + std::to_string(state.returned_for_s) + "\n";
    }
    return text;
}

}  // namespace

std::vector<PolicyDigest> digest_decisions(
    const answer::Snapshot& snapshot,
    const answer::ServiceStates& states,
    const steering::Facts& told,
    const std::string& configuration
) {
    auto facts = told;
    facts.services = states;
    auto common = common_inputs(configuration, facts);
    // A policy may depend on the health of another service.
    for (const auto& service : states) common += short_hash(text_of(service));
    common = short_hash(common);
    const auto& policies = snapshot.steering().policies;
    // Policies that decide alike share their answers in the snapshot: those are decided once.
    std::map<std::vector<const void*>, std::string> tables;
    std::vector<PolicyDigest> out;
    out.reserve(policies.size());
    for (std::size_t i = 0; i < policies.size(); ++i) {
        const auto& policy = policies[i];
        std::vector<const void*> shared;
        for (const auto type : steering::steered_types(policy, snapshot.steering()))
            shared.push_back(snapshot.variants(static_cast<std::uint32_t>(i), type));
        auto& table = tables[shared];
        if (table.empty()) table = table_of(snapshot, policy, states, facts);
        out.push_back({policy.owner, short_hash(common + policy.owner), table});
    }
    std::sort(out.begin(), out.end(), [](const PolicyDigest& a, const PolicyDigest& b) {
        return a.owner < b.owner;
    });
    return out;
}

DecisionRoots roots_of(const std::vector<PolicyDigest>& digests) {
    std::string inputs;
    std::string tables;
    for (const auto& each : digests) {
        inputs += each.inputs;
        tables += each.owner + each.table;
    }
    return {base::crypto::sha256_hex(inputs), base::crypto::sha256_hex(tables)};
}

}  // namespace twinsite::gslb::control
