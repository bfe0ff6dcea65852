// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/key_book.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::gslb::zone {

namespace {

constexpr std::array<const char*, 3> kRoles{"zsk", "ksk", "csk"};
constexpr std::array<const char*, 3> kStates{"published", "active", "retired"};
constexpr std::array<const char*, 4> kSteps{"publish", "announce", "ds_wait", "retire"};

template <class T, std::size_t kCount>
std::optional<T> find_word(const std::array<const char*, kCount>& words, std::string_view text) {
    for (std::size_t i = 0; i < kCount; ++i)
        if (text == words[i]) return static_cast<T>(i);
    return std::nullopt;
}

bool signs_keys(KeyRole role) {
    return role != KeyRole::zsk;
}

bool signs_data(KeyRole role) {
    return role != KeyRole::ksk;
}

BookedKey* find_key(KeyBook& book, std::uint16_t tag) {
    for (auto& key : book.keys)
        if (key.tag() == tag) return &key;
    return nullptr;
}

void move_to(KeyBook& book, std::uint16_t tag, KeyState state, UnixTime now) {
    auto* const key = find_key(book, tag);
    if (!key || key->state == state) return;
    key->state = state;
    key->since = now;
}

void remove_key(KeyBook& book, std::uint16_t tag) {
    std::erase_if(book.keys, [&](const BookedKey& key) { return key.tag() == tag; });
}

void enter(KeyBook& book, RollStep step, UnixTime now) {
    book.roll->step = step;
    book.roll->since = now;
}

/// The end of a change: the old key is gone.
void finish(KeyBook& book, UnixTime now) {
    const Roll roll = *book.roll;
    remove_key(book, roll.old_tag);
    move_to(book, roll.new_tag, KeyState::active, now);
    book.roll.reset();
}

/// The new key signs data from now on.
void switch_over(KeyBook& book, UnixTime now) {
    move_to(book, book.roll->old_tag, KeyState::retired, now);
    move_to(book, book.roll->new_tag, KeyState::active, now);
    enter(book, RollStep::retire, now);
}

void take_step(KeyBook& book, UnixTime now) {
    const KeyRole role = book.roll->role;
    switch (book.roll->step) {
        case RollStep::publish:
            if (role == KeyRole::zsk) return switch_over(book, now);
            return enter(book, RollStep::announce, now);
        case RollStep::announce:
            return enter(book, RollStep::ds_wait, now);
        case RollStep::ds_wait:
            if (role == KeyRole::csk) return switch_over(book, now);
            return finish(book, now);
        case RollStep::retire:
            return finish(book, now);
    }
}

std::string duration_text(UnixTime seconds) {
    return base::text::format_duration(std::chrono::seconds(seconds));
}

}  // namespace

std::uint16_t BookedKey::flags() const {
    return role == KeyRole::zsk
               ? key_flag::zone
               : static_cast<std::uint16_t>(key_flag::zone | key_flag::secure_entry);
}

std::uint16_t BookedKey::tag() const {
    ZoneKey key;
    key.flags = flags();
    key.public_key = public_key;
    return key.tag();
}

KeySet make_key_set(
    const KeyBook& book,
    const std::function<std::shared_ptr<const base::crypto::EcdsaKey>(const BookedKey& key)>&
        secret_of
) {
    // Until the new key is everywhere the parent must not be asked to point to it.
    const bool is_new_announced =
        book.roll && signs_keys(book.roll->role) && book.roll->step != RollStep::publish;
    KeySet out;
    for (const BookedKey& key : book.keys) {
        ZoneKey made;
        made.flags = key.flags();
        made.public_key = key.public_key;
        made.secret = secret_of(key);
        // Both keys sign the set of keys as long as both are in it (double signature).
        made.signs_keys = signs_keys(key.role);
        made.signs_data = signs_data(key.role) && key.state == KeyState::active;
        made.announced = signs_keys(key.role) && (is_new_announced ? key.tag() == book.roll->new_tag
                                                                   : key.state == KeyState::active);
        out.keys.push_back(std::move(made));
    }
    return out;
}

std::string find_fault(const KeyBook& book) {
    std::set<std::uint16_t> tags;
    std::size_t data = 0;
    std::size_t entries = 0;
    for (const BookedKey& key : book.keys) {
        if (!tags.insert(key.tag()).second)
            return "two keys have the tag " + std::to_string(key.tag());
        const bool active = key.state == KeyState::active;
        data += active && signs_data(key.role) ? 1 : 0;
        entries += active && signs_keys(key.role) ? 1 : 0;
        if (!active && !book.roll)
            return "key " + std::to_string(key.tag()) + " is not active, but no change goes on";
    }
    if (data != 1) return std::to_string(data) + " active keys sign data; it must be one";
    if (entries == 0) return "no active key signs the set of keys";
    if (book.roll && (!tags.contains(book.roll->old_tag) || !tags.contains(book.roll->new_tag)))
        return "the change of key names a key that is not there";
    return "";
}

KeyBook make_key_book(
    const wire::dns::Name& zone,
    const std::vector<base::crypto::EcdsaPublicKey>& publics,
    UnixTime now
) {
    KeyBook out;
    out.zone = zone.lowered();
    for (const auto& each : publics) {
        BookedKey key;
        key.role = publics.size() == 1 ? KeyRole::csk
                   : out.keys.empty()  ? KeyRole::ksk
                                       : KeyRole::zsk;
        key.public_key = each;
        key.created = key.since = now;
        out.keys.push_back(key);
    }
    return out;
}

std::variant<KeyBook, std::string> begin_roll(
    const KeyBook& book,
    KeyRole role,
    const base::crypto::EcdsaPublicKey& fresh,
    UnixTime now,
    bool automatic
) {
    if (book.roll)
        return "a change of " + std::string(to_string(book.roll->role)) + " goes on already";
    const auto old = std::find_if(book.keys.begin(), book.keys.end(), [&](const BookedKey& key) {
        return key.role == role && key.state == KeyState::active;
    });
    if (old == book.keys.end()) return "the zone has no " + std::string(to_string(role));
    BookedKey key;
    key.role = role;
    key.state = KeyState::published;
    key.public_key = fresh;
    key.created = key.since = now;
    const auto same_tag = [&](const BookedKey& other) { return other.tag() == key.tag(); };
    if (std::any_of(book.keys.begin(), book.keys.end(), same_tag))
        return "the new key has the tag of another one: try again";
    KeyBook out = book;
    out.roll = Roll{role, old->tag(), key.tag(), RollStep::publish, now, automatic};
    out.keys.push_back(key);
    return out;
}

std::optional<UnixTime> next_step_at(const KeyBook& book, const RollTimes& times) {
    if (!book.roll) return std::nullopt;
    const auto after = [&](std::chrono::seconds wait) {
        return book.roll->since + (wait + times.propagation).count();
    };
    switch (book.roll->step) {
        case RollStep::publish:  // RFC 7583 section 3.2.1: Ipub
            return after(times.dnskey_ttl);
        case RollStep::announce:
            return std::nullopt;
        case RollStep::ds_wait:  // RFC 7583 section 3.3.1: Iret
            return after(times.ds_ttl);
        case RollStep::retire:  // RFC 7583 section 3.2.1: Iret; all is signed anew at once
            return after(std::max(times.data_ttl, times.dnskey_ttl));
    }
    return std::nullopt;
}

std::variant<KeyBook, std::string> next_step(
    const KeyBook& book, const RollTimes& times, UnixTime now, bool ds_seen
) {
    if (!book.roll) return "no change of key goes on";
    const auto at = next_step_at(book, times);
    const bool waits = at ? now < *at : !ds_seen;
    if (waits) return describe_wait(book, times, now);
    KeyBook out = book;
    take_step(out, now);
    return out;
}

std::variant<KeyBook, std::string> cancel_roll(const KeyBook& book) {
    if (!book.roll) return "no change of key goes on";
    if (book.roll->step == RollStep::retire) return "the new key signs already: it must stay";
    if (book.roll->step != RollStep::publish)
        return "the parent's DS may show the new key already: it must stay";
    KeyBook out = book;
    remove_key(out, book.roll->new_tag);
    out.roll.reset();
    return out;
}

std::string describe_wait(const KeyBook& book, const RollTimes& times, UnixTime now) {
    if (!book.roll) return "";
    const auto at = next_step_at(book, times);
    const std::string fresh = "key " + std::to_string(book.roll->new_tag);
    if (!at)
        return "waits until the parent's DS shows " + fresh + " and no longer key " +
               std::to_string(book.roll->old_tag) + "; then say so";
    const std::string when =
        now < *at ? "another " + duration_text(*at - now) : "no longer: the next step may be taken";
    switch (book.roll->step) {
        case RollStep::publish:
            return "waits until every cache knows " + fresh + ": " + when;
        case RollStep::ds_wait:
            return "waits until the old DS has left the caches: " + when;
        default:
            return "waits until the last signature by key " + std::to_string(book.roll->old_tag) +
                   " has left the caches: " + when;
    }
}

const char* to_string(KeyRole role) noexcept {
    return kRoles.at(static_cast<std::size_t>(role));
}
const char* to_string(KeyState state) noexcept {
    return kStates.at(static_cast<std::size_t>(state));
}
const char* to_string(RollStep step) noexcept {
    return kSteps.at(static_cast<std::size_t>(step));
}
std::optional<KeyRole> parse_key_role(std::string_view text) {
    return find_word<KeyRole>(kRoles, text);
}
std::optional<KeyState> parse_key_state(std::string_view text) {
    return find_word<KeyState>(kStates, text);
}
std::optional<RollStep> parse_roll_step(std::string_view text) {
    return find_word<RollStep>(kSteps, text);
}

}  // namespace twinsite::gslb::zone
