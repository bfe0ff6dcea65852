// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/cookie_file.hpp"

namespace twinsite::gslb::control {
namespace {

using wire::dns::CookieSecret;
using wire::dns::CookieSecrets;

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::optional<CookieSecret> parse_cookie_secret(std::string_view text) {
    CookieSecret out{};
    if (text.size() != 2 * out.size()) return std::nullopt;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const int high = digit(text[2 * i]);
        const int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return out;
}

std::string cookie_secret_text(const CookieSecret& secret) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    for (const auto byte : secret) {
        out += kDigits[byte >> 4];
        out += kDigits[byte & 0xf];
    }
    return out;
}

std::optional<CookieSecrets> decode_cookie_secrets(std::string_view text) {
    constexpr std::size_t kLine = 33;
    if (text.size() != kLine && text.size() != 2 * kLine) return std::nullopt;
    const auto line = [&](std::size_t number) -> std::optional<CookieSecret> {
        if (text[number * kLine + kLine - 1] != '\n') return std::nullopt;
        return parse_cookie_secret(text.substr(number * kLine, kLine - 1));
    };
    CookieSecrets out;
    const auto current = line(0);
    if (!current) return std::nullopt;
    out.current = *current;
    if (text.size() == kLine) return out;
    out.other = line(1);
    if (!out.other) return std::nullopt;
    return out;
}

std::string encode_cookie_secrets(const CookieSecrets& secrets) {
    std::string out = cookie_secret_text(secrets.current) + "\n";
    if (secrets.other) out += cookie_secret_text(*secrets.other) + "\n";
    return out;
}

}  // namespace twinsite::gslb::control
