// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/steering/policy.hpp"
#include "gslb/steering/state.hpp"

/// What operators decided by hand. An override lies over the health of its object and never
/// touches the checks below it (precedence: design point 1 of docs/architecture.md).
namespace twinsite::gslb::control {

/// One moment on both clocks: expiry runs on the monotonic one, people and files use wall time.
struct Moment {
    std::chrono::steady_clock::time_point monotonic;
    std::chrono::system_clock::time_point wall;
    static Moment now();
};

/// What an override is about: a target of a service, or all its targets at a site.
struct OverrideKey {
    std::string service;
    std::string object;  ///< a target's name, or "site:" and a site's name

    auto operator<=>(const OverrideKey&) const = default;
    /// The site's name when the object is a site.
    std::optional<std::string_view> site() const;
};

struct Override {
    OverrideKey key;
    steering::Forced state = steering::Forced::none;  ///< up, down or drain
    std::string reason;                               ///< never empty
    std::string author;                               ///< never empty
    std::chrono::system_clock::time_point set_at;
    /// None: until it is cleared.
    std::optional<std::chrono::steady_clock::time_point> expires;
};

/// Why an override cannot be set.
struct Refusal {
    enum class Cause : std::uint8_t { unknown_service, unknown_object, last_site };
    Cause cause;
    std::string text;                     ///< a sentence for people
    std::vector<std::string> candidates;  ///< names that exist, the nearest first
};

/// The overrides in force. A value; told the time. One entry for each key.
class Overrides {
public:
    /// Replaces what stands at the key.
    void set(Override entry);
    /// False when there was none.
    bool clear(const OverrideKey& key);
    /// Takes out and returns what has expired by `now`.
    std::vector<Override> expire(std::chrono::steady_clock::time_point now);
    /// When `expire` next has something to do.
    std::optional<std::chrono::steady_clock::time_point> next_expiry() const;

    const Override* find(const OverrideKey& key) const;
    /// Sorted by service, then object.
    const std::vector<Override>& entries() const { return entries_; }
    /// What holds for a target: its own override before that of its site.
    steering::Forced forced(
        std::string_view service, std::string_view target, std::string_view site
    ) const;

private:
    std::vector<Override> entries_;
};

/// Whether `key` names something in `steering`; otherwise the refusal with candidates.
std::optional<Refusal> check_known(const OverrideKey& key, const steering::Steering& steering);

/// Whether a service keeps a site with `wanted` in force. `sites` are those of the
/// configuration; `healthy` holds one truth per target of `service`: false when its checks say
/// down. `control` holds what switchover says of each target; empty: nothing of any. Refused are an
/// override after which every site is forced away, and one after which no healthy site is left
/// where there was one before.
std::optional<Refusal> check_keeps_a_site(
    const Overrides& now,
    const Override& wanted,
    const steering::Service& service,
    std::span<const std::string> sites,
    const std::vector<bool>& healthy,
    const std::vector<steering::Forced>& control = {}
);

/// The same for overrides that end: `then` is what stays of `now`. Refused is only what takes from
/// the service the last site that is not forced away, or its last healthy target.
std::optional<Refusal> check_loses_no_site(
    const Overrides& now,
    const Overrides& then,
    const steering::Service& service,
    std::span<const std::string> sites,
    const std::vector<bool>& healthy,
    const std::vector<steering::Forced>& control = {}
);

/// "up", "down", "drain"; nullopt for anything else.
std::optional<steering::Forced> parse_forced(std::string_view text);

}  // namespace twinsite::gslb::control
