// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "gslb/zone/key_book.hpp"

namespace twinsite::gslb::zone {

/// JSON, one key a line (docs/operator/dnssec.md). Holds no secret.
std::string encode_key_book(const KeyBook& book);
/// The book, or what is wrong, as a sentence.
std::variant<KeyBook, std::string> decode_key_book(std::string_view text);

/// Names of the files of a zone in the folder of keys: "example.net.keys.json",
/// "example.net.+013+12345.pem", "example.net.signatures". Letters in lower case; what is neither
/// letter, digit, '-', '_' nor '.' becomes "%XX".
std::string key_book_file(const wire::dns::Name& zone);
std::string secret_file(const wire::dns::Name& zone, std::uint16_t tag);
std::string premade_file(const wire::dns::Name& zone);

}  // namespace twinsite::gslb::zone
