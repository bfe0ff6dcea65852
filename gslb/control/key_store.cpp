// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/key_store.hpp"

#include <utility>
#include <vector>

#include "base/file/state_file.hpp"
#include "gslb/zone/key_book_file.hpp"
#include "gslb/zone/premade_text.hpp"

namespace twinsite::gslb::control {

namespace {

using Secret = std::shared_ptr<const base::crypto::EcdsaKey>;

/// The private key in the file, null when there is none; a bad one is a problem.
Secret read_secret(
    const std::string& path, const base::crypto::EcdsaPublicKey& expected, std::string& problem
) {
    const auto text = base::file::read_state_file(path);
    if (text && !*text) return nullptr;
    if (!text) {
        problem = path + ": " + text.error().message();
        return nullptr;
    }
    auto key = base::crypto::EcdsaKey::from_pem(**text);
    if (!key) {
        problem = path + ": " + key.error().message();
        return nullptr;
    }
    if (key->public_key() != expected) {
        problem = path + ": another key than the one that the book names";
        return nullptr;
    }
    return std::make_shared<const base::crypto::EcdsaKey>(*std::move(key));
}

}  // namespace

std::variant<std::shared_ptr<const zone::KeySet>, std::string> KeyStore::set_of(
    const zone::KeyBook& book, std::uint32_t dnskey_ttl
) const {
    std::string problem;
    auto set = zone::make_key_set(book, [&](const zone::BookedKey& key) {
        return read_secret(path(zone::secret_file(book.zone, key.tag())), key.public_key, problem);
    });
    set.dnskey_ttl = dnskey_ttl;
    const auto premade_path = path(zone::premade_file(book.zone));
    const auto premade = base::file::read_state_file(premade_path);
    if (!premade) {
        problem = premade_path + ": " + premade.error().message();
    } else if (*premade) {
        auto read = zone::read_premade(**premade, book.zone);
        if (const auto* wrong = std::get_if<std::string>(&read))
            problem = premade_path + ":" + *wrong;
        else
            set.premade = std::get<zone::Rdatas>(std::move(read));
    }
    if (problem.empty()) {
        problem = set.problem();
        if (!problem.empty()) problem = path(zone::key_book_file(book.zone)) + ": " + problem;
    }
    if (!problem.empty()) return problem;
    return std::make_shared<const zone::KeySet>(std::move(set));
}

std::variant<KeyStore::Keys, std::string> KeyStore::load(
    const wire::dns::Name& zone, std::uint32_t dnskey_ttl
) const {
    const auto file = path(zone::key_book_file(zone));
    const auto text = base::file::read_state_file(file);
    if (!text) return file + ": " + text.error().message();
    if (!*text)
        return file +
               ": does not exist; 'twinsite gslb keys create' makes the first keys of a zone";
    auto book = zone::decode_key_book(**text);
    if (const auto* wrong = std::get_if<std::string>(&book)) return file + ": " + *wrong;
    Keys out{std::get<zone::KeyBook>(std::move(book)), nullptr};
    if (out.book.zone != zone)
        return file + ": is of the zone " + out.book.zone.to_string() + ", not " + zone.to_string();
    auto set = set_of(out.book, dnskey_ttl);
    if (auto* wrong = std::get_if<std::string>(&set)) return std::move(*wrong);
    out.set = std::get<std::shared_ptr<const zone::KeySet>>(std::move(set));
    return out;
}

std::string KeyStore::add_secret(
    const wire::dns::Name& zone, zone::KeyRole role, const base::crypto::EcdsaKey& key
) const {
    constexpr unsigned kOwnerOnly = 0600;
    zone::BookedKey booked;
    booked.role = role;
    booked.public_key = key.public_key();
    const auto file = path(zone::secret_file(zone, booked.tag()));
    const auto pem = key.to_pem();
    if (!pem) return file + ": " + pem.error().message();
    const auto known = base::file::read_state_file(file);
    if (known && *known) return file + ": exists already";
    const auto written =
        base::file::write_state_file(file, *pem, base::file::Durability::synced, kOwnerOnly);
    return written ? "" : file + ": " + written.error().message();
}

std::string KeyStore::save(const zone::KeyBook& book) const {
    const auto file = path(zone::key_book_file(book.zone));
    const auto written = base::file::write_state_file(file, zone::encode_key_book(book));
    return written ? "" : file + ": " + written.error().message();
}

}  // namespace twinsite::gslb::control
