// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gslb/control/overrides.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/state.hpp"
#include "wire/contract/desired.hpp"

namespace twinsite::gslb::control {

/// The wanted state that switchover sent, read for this program: what it says of each target.
/// Stands below operators' overrides and above health (docs/decisions/0015). A value.
class Directives {
public:
    /// One object of the list. The parts that its kind does not have are empty.
    struct Entry {
        std::string site;                                 ///< of "site:" and "service:"
        std::string service;                              ///< of "service:" and "target:"
        std::string target;                               ///< of "target:"
        steering::Forced state = steering::Forced::none;  ///< down for "out", none for "in"
        wire::contract::DesiredObject object;
    };

    Directives() = default;
    /// A sentence when an object is of another kind or form, or its state is unknown.
    static std::variant<Directives, std::string> read(wire::contract::Desired desired);

    /// The entry that counts for a target: out before drain before in (which leaves the word to
    /// health); among equals target, then service, then site. nullptr: nobody speaks of it.
    const Entry* find(std::string_view service, std::string_view target, std::string_view site)
        const;
    steering::Forced state(std::string_view service, std::string_view target, std::string_view site)
        const {
        const auto* entry = find(service, target, site);
        return entry == nullptr ? steering::Forced::none : entry->state;
    }
    /// Objects that `steering` does not have.
    std::vector<std::string> find_unknown(const steering::Steering& steering) const;

    const wire::contract::Desired& desired() const { return desired_; }
    const std::vector<Entry>& entries() const { return entries_; }

private:
    wire::contract::Desired desired_;
    std::vector<Entry> entries_;
};

/// Whether each service keeps a target that is not out, by override or control, where it had one
/// with the directives before; else the refusal that names the service.
std::optional<Refusal> check_leaves_a_site(
    const Directives& now,
    const Directives& wanted,
    const Overrides& overrides,
    const steering::Steering& steering
);

/// "in", "out" or "drain".
const char* to_control_word(steering::Forced state) noexcept;

}  // namespace twinsite::gslb::control
