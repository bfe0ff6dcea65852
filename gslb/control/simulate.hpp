// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/steering/facts.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"

/// "What would every client class get": the decisions of all policies for all classes, by the same
/// decide() that answers. Pure.
namespace twinsite::gslb::control {

/// What a steered name answers to some classes of clients for one type.
struct ClassAnswer {
    std::string owner;
    std::string type;
    /// Each class by the sites that it prefers; an empty list stands for clients that no network
    /// names. No class at all: every client gets this.
    std::vector<std::vector<std::string>> classes;
    std::vector<std::string> targets;
    std::vector<std::string> records;
    bool drawn = false;  ///< one of them for each query, by weight

    bool same_answer(const ClassAnswer& other) const {
        return targets == other.targets && records == other.records && drawn == other.drawn;
    }
    bool operator==(const ClassAnswer&) const = default;
};

/// In order of owners, then types. `only`: this owner, or all when empty.
std::vector<ClassAnswer> answer_classes(
    const steering::Steering& steering,
    const steering::PrefixMap& prefixes,
    const answer::ServiceStates& states,
    const steering::Facts& facts,
    std::string_view only = {}
);

/// What if: objects whose health is taken to be another one. An object is a site, a service, or
/// SERVICE/TARGET.
struct Supposition {
    std::vector<std::string> down;
    std::vector<std::string> up;
    std::vector<std::string> drain;
};
/// The states under `what`, or the name of the first object that does not exist. Operators' words
/// stay in force, except where `drain` says another.
std::variant<answer::ServiceStates, std::string> suppose(
    const steering::Steering& steering, answer::ServiceStates states, const Supposition& what
);

}  // namespace twinsite::gslb::control
