// SPDX-License-Identifier: Apache-2.0
#include "gslb/key_commands.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/log/log.hpp"
#include "base/text/text.hpp"
#include "gslb/control/key_store.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb {
namespace {

namespace log = base::log;
using control::KeyCommand;
using control::KeyStore;
using control::KeyView;
using Next = std::variant<zone::KeyBook, std::string>;

zone::UnixTime unix_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::uint32_t dnskey_ttl(const SignedPart& part) {
    return static_cast<std::uint32_t>(part.config.dnskey_ttl.count());
}

/// "example.net. 3600 IN DS 12345 13 2 AB...": for the keys that the parent shall point to.
std::vector<std::string> ds_texts(const zone::KeySet& set, const wire::dns::Name& zone) {
    const auto lowered = zone.lowered();
    const std::vector<std::uint8_t> wire(lowered.wire().begin(), lowered.wire().end());
    std::vector<std::string> out;
    for (const auto& key : set.keys) {
        if (!key.announced) continue;
        const auto ds = key.ds(wire);
        constexpr std::size_t kHead = 4;  // tag, algorithm, kind of digest
        out.push_back(
            zone.to_string() + " IN DS " + std::to_string(key.tag()) + " 13 2 " +
            base::text::to_hex(ds.data() + kHead, ds.size() - kHead)
        );
    }
    return out;
}

/// Whether a zone can be signed with the keys: its apex alone shows it.
std::string try_keys(const SignedPart& part, const zone::KeySet& keys) {
    zone::ZoneData apex;
    apex.origin = part.zone->origin;
    for (const auto& set : part.zone->rrsets)
        if (set.owner == apex.origin && set.type == wire::dns::type::soa)
            apex.rrsets.push_back(set);
    zone::SignParameters how;
    how.times.now = unix_now();
    return zone::sign_zone(apex, keys, how).problem;
}

Next begin(const SignedPart& part, const zone::KeyBook& book, const KeyCommand& command) {
    if (book.roll) return zone::begin_roll(book, command.role, {}, 0, false);
    const auto fresh = base::crypto::EcdsaKey::generate();
    if (!fresh) return fresh.error().message();
    auto next =
        zone::begin_roll(book, command.role, fresh->public_key(), unix_now(), command.automatic);
    if (std::holds_alternative<std::string>(next)) return next;
    // The private key first: the book must name none that is not there.
    const auto failed = KeyStore(part.config.keys).add_secret(book.zone, command.role, *fresh);
    if (!failed.empty()) return failed;
    return next;
}

Next take(const SignedPart& part, const zone::KeyBook& book, const KeyCommand& command) {
    switch (command.kind) {
        case KeyCommand::Kind::roll:
            return begin(part, book, command);
        case KeyCommand::Kind::step:
            return zone::next_step(book, part.times, unix_now(), command.ds_seen);
        case KeyCommand::Kind::cancel:
            break;
    }
    return zone::cancel_roll(book);
}

void log_change(const zone::KeyBook& before, const zone::KeyBook& after) {
    const auto& roll = after.roll ? after.roll : before.roll;
    log::event(
        log::Level::warning,
        "key_change",
        {{"zone", after.zone.to_string()},
         {"role", roll ? zone::to_string(roll->role) : ""},
         {"old", roll ? roll->old_tag : 0},
         {"new", roll ? roll->new_tag : 0},
         {"step", after.roll ? zone::to_string(after.roll->step) : "done"}}
    );
}

}  // namespace

std::vector<KeyView> KeyCommands::list() const {
    std::vector<KeyView> out;
    for (const auto& part : intent_().signed_parts) {
        KeyView view;
        const auto loaded = KeyStore(part->config.keys).load(part->zone->origin, dnskey_ttl(*part));
        const auto* keys = std::get_if<KeyStore::Keys>(&loaded);
        view.book = keys ? keys->book : part->book;
        view.is_served = view.book == part->book;
        const auto& set = keys ? *keys->set : *part->keys;
        for (const auto& key : set.keys)
            if (key.secret) view.here.push_back(key.tag());
        view.ds = ds_texts(set, part->zone->origin);
        view.times = part->times;
        view.serial = part->zone->serial;
        view.now = unix_now();
        view.refresh_at = std::min(part->refresh_at, part->signer->refresh_at());
        view.variants = part->signer->size();
        out.push_back(std::move(view));
    }
    return out;
}

std::string KeyCommands::command(const wire::dns::Name& zone, const KeyCommand& command) const {
    const auto* part = find_part(intent_().signed_parts, zone);
    if (!part) return "the zone is not signed here";
    const auto refusal = carry_out(*part, command);
    if (refusal.empty()) sign_again_();
    return refusal;
}

std::string KeyCommands::carry_out(const SignedPart& part, const KeyCommand& command) const {
    const KeyStore store(part.config.keys);
    const auto loaded = store.load(part.zone->origin, dnskey_ttl(part));
    if (const auto* wrong = std::get_if<std::string>(&loaded)) return *wrong;
    const auto& book = std::get<KeyStore::Keys>(loaded).book;
    const auto next = take(part, book, command);
    if (const auto* refusal = std::get_if<std::string>(&next)) return *refusal;
    const auto& changed = std::get<zone::KeyBook>(next);
    const auto set = store.set_of(changed, dnskey_ttl(part));
    if (const auto* wrong = std::get_if<std::string>(&set)) return *wrong;
    auto failed = try_keys(part, *std::get<std::shared_ptr<const zone::KeySet>>(set));
    if (failed.empty()) failed = store.save(changed);
    if (failed.empty()) log_change(book, changed);
    return failed;
}

bool KeyCommands::is_refresh_due() {
    const auto now = unix_now();
    // The clock may have been set back.
    if (now >= refreshed_ && now - refreshed_ < kRefreshPause) return false;
    for (const auto& part : intent_().signed_parts) {
        if (std::min(part->refresh_at, part->signer->refresh_at()) > now) continue;
        refreshed_ = now;
        return true;
    }
    return false;
}

bool KeyCommands::take_due_steps() {
    const auto now = unix_now();
    if (now >= step_failed_ && now - step_failed_ < kStepPause) return false;
    bool taken = false;
    for (const auto& part : intent_().signed_parts) {
        const auto& roll = part->book.roll;
        if (!roll || !roll->automatic) continue;
        const auto at = zone::next_step_at(part->book, part->times);
        if (!at || *at > now) continue;
        KeyCommand step;
        step.kind = KeyCommand::Kind::step;
        const auto refusal = carry_out(*part, step);
        taken |= refusal.empty();
        if (refusal.empty()) continue;
        step_failed_ = now;
        log::event(
            log::Level::error,
            "key_step_failed",
            {{"zone", part->zone->origin.to_string()}, {"cause", refusal}}
        );
    }
    return taken;
}

}  // namespace twinsite::gslb
