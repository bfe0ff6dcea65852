// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small, pure text helpers. Parsers return nullopt for anything but a complete, valid text.
namespace twinsite::base::text {

std::string_view trim(std::string_view text);
/// Splits at every `separator`; empty parts are kept, an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Splits at runs of blanks and tabs; no empty parts.
std::vector<std::string_view> words(std::string_view text);
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
    Number value{};
    const auto end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value, base);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return value;
}
std::optional<double> parse_double(std::string_view text);

/// "250ms", "10s", "5m", "2h", "3d"; the unit is obligatory; at most 10 years; never negative.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// The shortest exact form, for example "1500ms", "10s", "5m".
std::string format_duration(std::chrono::milliseconds duration);

std::string to_hex(const std::uint8_t* bytes, std::size_t size);
/// Hex digits, blanks ignored. nullopt for an odd count or a character that is not hex.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);
/// Bytes as text for people and logs: printable ASCII stays, the rest becomes \xNN.
std::string printable(std::string_view bytes);

/// The members of `known` nearest to `word` by edit distance (at most 3 away, at most 3 of them),
/// for "unknown key 'adress'; did you mean 'address'?".
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace twinsite::base::text
