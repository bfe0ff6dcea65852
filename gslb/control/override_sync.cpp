// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/override_sync.hpp"

#include <algorithm>

#include "base/crypto/digest.hpp"

namespace twinsite::gslb::control {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using steering::Forced;

constexpr char kBetween = '\n';  // in no service's and no object's name

std::uint64_t not_negative(milliseconds time) {
    return static_cast<std::uint64_t>(std::max<milliseconds::rep>(time.count(), 0));
}

/// Entries and marks of global scope, in the order of keys.
std::vector<const Override*> all_of(const Overrides& overrides) {
    std::vector<const Override*> out;
    for (const auto* list : {&overrides.entries(), &overrides.marks()})
        for (const auto& each : *list)
            if (each.key.scope == Scope::global) out.push_back(&each);
    std::sort(out.begin(), out.end(), [](const Override* a, const Override* b) {
        return a->key < b->key;
    });
    return out;
}

std::string text_of(const OverrideKey& key) {
    return key.service + kBetween + key.object;
}

OverrideKey key_in(std::string_view text) {
    const auto end = text.find(kBetween);
    if (end == std::string_view::npos) return {std::string(text), "", Scope::global};
    return {std::string(text.substr(0, end)), std::string(text.substr(end + 1)), Scope::global};
}

}  // namespace

wire::group::OverrideEntry to_wire(const Override& entry, const Moment& now) {
    wire::group::OverrideEntry out;
    out.service = entry.key.service;
    out.object = entry.key.object;
    if (entry.state != Forced::none) out.state = steering::to_string(entry.state);
    out.reason = entry.reason;
    out.author = entry.author;
    out.age_ms = not_negative(duration_cast<milliseconds>(now.wall - entry.set_at));
    if (entry.expires)
        out.left_ms = not_negative(duration_cast<milliseconds>(*entry.expires - now.monotonic));
    out.stamp = entry.stamp;
    return out;
}

Override from_wire(const wire::group::OverrideEntry& entry, const Moment& now) {
    Override out;
    out.key = {entry.service, entry.object, Scope::global};
    out.state = parse_forced(entry.state).value_or(Forced::none);
    out.reason = entry.reason;
    out.author = entry.author;
    out.set_at = now.wall - milliseconds(entry.age_ms);
    if (entry.left_ms) out.expires = now.monotonic + milliseconds(*entry.left_ms);
    out.stamp = entry.stamp;
    return out;
}

wire::group::Overrides page_of(
    const Overrides& overrides, std::string_view from, const Moment& now
) {
    wire::group::Overrides out;
    const auto all = all_of(overrides);
    const auto behind = key_in(from);
    auto at = from.empty()
                  ? all.begin()
                  : std::upper_bound(
                        all.begin(),
                        all.end(),
                        behind,
                        [](const OverrideKey& key, const Override* each) { return key < each->key; }
                    );
    for (; at != all.end() && out.entries.size() < wire::group::kMaxOverrides; ++at)
        out.entries.push_back(to_wire(**at, now));
    out.more = at != all.end();
    return out;
}

std::string page_key(const wire::group::OverrideEntry& entry) {
    return text_of({entry.service, entry.object, Scope::global});
}

std::string digest_of(const Overrides& overrides) {
    std::string text;
    for (const auto* each : all_of(overrides)) {
        text += text_of(each->key) + kBetween + std::to_string(each->stamp.epoch) + " " +
                std::to_string(each->stamp.clock) + " " + each->stamp.node + kBetween;
    }
    return base::crypto::sha256_hex(text);
}

}  // namespace twinsite::gslb::control
