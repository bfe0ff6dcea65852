// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "base/crypto/ecdsa.hpp"
#include "gslb/zone/key_book.hpp"
#include "gslb/zone/key_set.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::control {

/// The folder with the keys of zones: one book, the private keys and perhaps signatures made
/// elsewhere for each zone. A book is replaced as a whole, and names only keys that are on the disk
/// already: a crash leaves the old book or the new one. Any thread; two at once must not write.
class KeyStore {
public:
    explicit KeyStore(std::string folder) : folder_(std::move(folder)) {}

    struct Keys {
        zone::KeyBook book;
        std::shared_ptr<const zone::KeySet> set;
    };
    /// The keys of the zone, or why they cannot be used, as a sentence with the file's name.
    std::variant<Keys, std::string> load(const wire::dns::Name& zone, std::uint32_t dnskey_ttl)
        const;
    /// The set that a book stands for, with the keys that are here.
    std::variant<std::shared_ptr<const zone::KeySet>, std::string> set_of(
        const zone::KeyBook& book, std::uint32_t dnskey_ttl
    ) const;

    /// Writes a private key, only for its owner's eyes. Empty, or what went wrong.
    std::string add_secret(
        const wire::dns::Name& zone, zone::KeyRole role, const base::crypto::EcdsaKey& key
    ) const;
    /// Replaces the book. Empty, or what went wrong.
    std::string save(const zone::KeyBook& book) const;

private:
    std::string path(const std::string& file) const { return folder_ + "/" + file; }

    std::string folder_;
};

}  // namespace twinsite::gslb::control
