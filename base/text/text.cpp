// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace twinsite::base::text {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::int64_t kLongestDuration_ms = std::int64_t{10} * 365 * 24 * 3600 * 1000;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
constexpr std::array<Unit, 5> kUnits{
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto first = text.find_first_not_of(kBlanks);
        if (first == std::string_view::npos) return parts;
        text.remove_prefix(first);
        const auto end = std::min(text.find_first_of(kBlanks), text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::string to_lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return lower(x) == lower(y);
    });
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        if (&part != &parts.front()) out += separator;
        out += part;
    }
    return out;
}

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const auto end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto count = parse_number<std::int64_t>(text.substr(0, digits));
    if (!count) return std::nullopt;
    for (const auto& unit : kUnits)
        if (text.substr(digits) == unit.name) {
            if (*count > kLongestDuration_ms / unit.milliseconds) return std::nullopt;
            return std::chrono::milliseconds(*count * unit.milliseconds);
        }
    return std::nullopt;
}

std::string format_duration(std::chrono::milliseconds duration) {
    const std::int64_t count = duration.count();
    if (count == 0) return "0s";
    for (auto unit = kUnits.rbegin(); unit != kUnits.rend(); ++unit)
        if (count % unit->milliseconds == 0)
            return std::to_string(count / unit->milliseconds) + std::string(unit->name);
    return std::to_string(count) + "ms";
}

std::string to_hex(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(size * 2);
    for (std::size_t i = 0; i < size; ++i) {
        out += kDigits[bytes[i] >> 4];
        out += kDigits[bytes[i] & 15];
    }
    return out;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
    std::string digits;
    for (const char c : text)
        if (kBlanks.find(c) == std::string_view::npos) digits += c;
    if (digits.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> out;
    out.reserve(digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const auto byte = parse_number<std::uint8_t>(std::string_view(digits).substr(i, 2), 16);
        if (!byte) return std::nullopt;
        out.push_back(*byte);
    }
    return out;
}

std::string printable(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '\\')
            out += c;
        else
            out += "\\x" + to_hex(&byte, 1);
    }
    return out;
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    constexpr std::size_t kFarthest = 3;
    constexpr std::size_t kMost = 3;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const auto& candidate : known) {
        const auto distance = edit_distance(word, candidate);
        if (distance <= std::min(kFarthest, candidate.size() - candidate.size() / 3))
            found.emplace_back(distance, candidate);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::vector<std::string> out;
    for (auto& [distance, candidate] : found)
        if (out.size() < kMost) out.push_back(std::move(candidate));
    return out;
}

}  // namespace twinsite::base::text
