// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gslb/zone/key_set.hpp"
#include "gslb/zone/signature.hpp"
#include "wire/dns/name.hpp"

/// The keys of a zone over time, and their change step by step (RFC 7583). Pure.
namespace twinsite::gslb::zone {

enum class KeyRole : std::uint8_t {
    zsk,  ///< signs the data
    ksk,  ///< signs the set of keys; the parent's DS points to it
    csk,  ///< both
};

enum class KeyState : std::uint8_t {
    published,  ///< known to the world, not used yet
    active,
    retired,  ///< not used any more; its signatures may still be in caches
};

struct BookedKey {
    KeyRole role = KeyRole::zsk;
    KeyState state = KeyState::active;
    base::crypto::EcdsaPublicKey public_key{};
    UnixTime created = 0;
    UnixTime since = 0;  ///< when it came into this state

    bool operator==(const BookedKey&) const = default;
    std::uint16_t flags() const;
    std::uint16_t tag() const;
};

/// Where a change of key stands. Each step waits until no cache can know what was before.
enum class RollStep : std::uint8_t {
    publish,   ///< the new key is published; waits until every cache has seen it
    announce,  ///< CDS and CDNSKEY show the new key; waits until somebody says that the parent's DS
               ///< has it
    ds_wait,   ///< waits until the old DS has left the caches
    retire,    ///< the new key signs; waits until the last signature by the old one has left them
};

struct Roll {
    KeyRole role = KeyRole::zsk;
    std::uint16_t old_tag = 0;
    std::uint16_t new_tag = 0;
    RollStep step = RollStep::publish;
    UnixTime since = 0;      ///< of the step
    bool automatic = false;  ///< steps whose time has come are taken without a command

    bool operator==(const Roll&) const = default;
};

/// All keys of one zone and the change that goes on, if any.
struct KeyBook {
    wire::dns::Name zone;
    std::vector<BookedKey> keys;
    std::optional<Roll> roll;

    bool operator==(const KeyBook&) const = default;
};

/// How long caches may hold what; at least as long as they really do.
struct RollTimes {
    std::chrono::seconds dnskey_ttl{3600};
    /// From a change here until all servers of the zone have it: both sites, and secondaries.
    std::chrono::seconds propagation{300};
    std::chrono::seconds data_ttl{86'400};  ///< the largest of the zone's records
    std::chrono::seconds ds_ttl{86'400};    ///< of the parent's DS
};

/// The keys as they are to be used now. `secret_of` gives the private key of a tag, or null.
KeySet make_key_set(
    const KeyBook& book,
    const std::function<std::shared_ptr<const base::crypto::EcdsaKey>(const BookedKey& key)>&
        secret_of
);

/// What is wrong with a book, as a sentence; empty: nothing.
std::string find_fault(const KeyBook& book);

/// A book of new keys: a KSK and a ZSK, or one CSK. `publics` holds one key for each.
KeyBook make_key_book(
    const wire::dns::Name& zone,
    const std::vector<base::crypto::EcdsaPublicKey>& publics,
    UnixTime now
);

/// The book with the change begun, or why it cannot begin.
std::variant<KeyBook, std::string> begin_roll(
    const KeyBook& book,
    KeyRole role,
    const base::crypto::EcdsaPublicKey& fresh,
    UnixTime now,
    bool automatic
);

/// When the next step may be taken: a moment; nothing when the step waits for a word
/// (`announce`) or no change goes on.
std::optional<UnixTime> next_step_at(const KeyBook& book, const RollTimes& times);

/// The book one step on, or why not yet. `ds_seen`: somebody says that the parent's DS shows the
/// new key and no longer the old one.
std::variant<KeyBook, std::string> next_step(
    const KeyBook& book, const RollTimes& times, UnixTime now, bool ds_seen
);

/// The book without the new key, while nobody can depend on it (step `publish`), or why that is
/// not possible any more.
std::variant<KeyBook, std::string> cancel_roll(const KeyBook& book);

/// What the change waits for, as a sentence; empty when none goes on.
std::string describe_wait(const KeyBook& book, const RollTimes& times, UnixTime now);

const char* to_string(KeyRole role) noexcept;    ///< "zsk", "ksk", "csk"
const char* to_string(KeyState state) noexcept;  ///< "published", "active", "retired"
const char* to_string(RollStep step) noexcept;   ///< "publish", "announce", "ds_wait", "retire"
std::optional<KeyRole> parse_key_role(std::string_view text);
std::optional<KeyState> parse_key_state(std::string_view text);
std::optional<RollStep> parse_roll_step(std::string_view text);

}  // namespace twinsite::gslb::zone
