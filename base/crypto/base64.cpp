// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/base64.hpp"

#include <cstdint>

namespace twinsite::base::crypto {

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Without padding.
std::string encode(std::string_view bytes, std::string_view letters) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char byte : bytes) {
        held = held << 8 | static_cast<std::uint8_t>(byte);
        for (bits += 8; bits >= 6; bits -= 6) out += letters[held >> (bits - 6) & 63];
    }
    if (bits > 0) out += letters[held << (6 - bits) & 63];
    return out;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    auto out = encode(bytes, kLetters);
    while (out.size() % 4 != 0) out += '=';
    return out;
}

std::string to_base64url(std::string_view bytes) {
    return encode(bytes, kUrlLetters);
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding)
        text.remove_suffix(1);
    if (text.size() % 4 == 1) return std::nullopt;
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char letter : text) {
        const auto value = kLetters.find(letter);
        if (value == std::string_view::npos) return std::nullopt;
        held = held << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out += static_cast<char>(held >> bits & 0xFF);
    }
    // Bits that say nothing must be zero, so that one value has one text.
    if ((held & ((1U << bits) - 1)) != 0) return std::nullopt;
    return out;
}

}  // namespace twinsite::base::crypto
