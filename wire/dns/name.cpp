// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/name.hpp"

#include <algorithm>
#include <optional>

namespace twinsite::wire::dns {
namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return to_lower(static_cast<std::uint8_t>(x)) == to_lower(static_cast<std::uint8_t>(y));
    });
}

std::weak_ordering compare_labels(std::string_view a, std::string_view b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const auto order = to_lower(byte_at(a, i)) <=> to_lower(byte_at(b, i));
        if (order != 0) return order;
    }
    return a.size() <=> b.size();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// What the escape after the backslash at `text[at]` stands for; moves `at` behind it.
std::optional<char> read_escape(std::string_view text, std::size_t& at) {
    if (++at >= text.size()) return std::nullopt;
    if (!is_digit(text[at])) return text[at++];
    if (at + 3 > text.size() || !is_digit(text[at + 1]) || !is_digit(text[at + 2]))
        return std::nullopt;
    const int value = (text[at] - '0') * 100 + (text[at + 1] - '0') * 10 + (text[at + 2] - '0');
    if (value > 255) return std::nullopt;
    at += 3;
    return static_cast<char>(value);
}

void append_label(std::string& wire, std::string_view label) {
    wire.push_back(static_cast<char>(label.size()));
    wire.append(label);
}

void append_escaped(std::string& out, std::uint8_t byte) {
    constexpr std::string_view kSpecial = ".\\\"();@$";
    const char c = static_cast<char>(byte);
    if (byte > 0x20 && byte < 0x7f) {
        if (kSpecial.find(c) != std::string_view::npos) out.push_back('\\');
        out.push_back(c);
        return;
    }
    out.push_back('\\');
    for (const int unit : {100, 10, 1}) out.push_back(static_cast<char>('0' + byte / unit % 10));
}

}  // namespace

std::vector<std::string_view> Name::labels() const {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; wire_[at] != '\0'; at += 1 + byte_at(wire_, at))
        out.emplace_back(std::string_view(wire_).substr(at + 1, byte_at(wire_, at)));
    return out;
}

std::size_t Name::label_count() const {
    std::size_t count = 0;
    for (std::size_t at = 0; wire_[at] != '\0'; at += 1 + byte_at(wire_, at)) ++count;
    return count;
}

bool Name::is_at_or_below(const Name& ancestor) const {
    if (wire_.size() < ancestor.wire_.size()) return false;
    const std::size_t start = wire_.size() - ancestor.wire_.size();
    std::size_t at = 0;  // the cut must fall between two labels
    while (at < start) at += 1 + byte_at(wire_, at);
    return at == start && same_ignoring_case(std::string_view(wire_).substr(start), ancestor.wire_);
}

Name Name::parent() const {
    Name out;
    if (!is_root()) out.wire_ = wire_.substr(1 + byte_at(wire_, 0));
    return out;
}

Name Name::lowered() const {
    Name out = *this;
    // Length bytes are below 64 and so never letters.
    for (char& c : out.wire_) c = static_cast<char>(to_lower(static_cast<std::uint8_t>(c)));
    return out;
}

base::Result<Name> Name::with_label(std::string_view label) const {
    if (label.empty()) return Errc::empty_label;
    if (label.size() > kMaxLabelBytes) return Errc::label_too_long;
    if (wire_.size() + label.size() + 1 > kMaxNameBytes) return Errc::name_too_long;
    Name out;
    out.wire_.clear();
    append_label(out.wire_, label);
    out.wire_ += wire_;
    return out;
}

base::Result<Name> Name::joined_to(const Name& suffix) const {
    if (wire_.size() - 1 + suffix.wire_.size() > kMaxNameBytes) return Errc::name_too_long;
    Name out;
    out.wire_ = wire_.substr(0, wire_.size() - 1) + suffix.wire_;
    return out;
}

std::string Name::to_string() const {
    if (is_root()) return ".";
    std::string out;
    for (const auto label : labels()) {
        for (const char c : label) append_escaped(out, static_cast<std::uint8_t>(c));
        out.push_back('.');
    }
    return out;
}

bool Name::operator==(const Name& other) const {
    return same_ignoring_case(wire_, other.wire_);
}

std::weak_ordering Name::operator<=>(const Name& other) const {
    const auto mine = labels();
    const auto theirs = other.labels();
    for (std::size_t i = 1; i <= std::min(mine.size(), theirs.size()); ++i) {
        const auto order = compare_labels(mine[mine.size() - i], theirs[theirs.size() - i]);
        if (order != 0) return order;
    }
    return mine.size() <=> theirs.size();
}

base::Result<Name> parse_name(std::string_view text) {
    Name out;
    if (text == ".") return out;
    if (text.empty()) return Errc::empty_label;
    out.wire_.clear();
    std::string label;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '.') {
            if (label.empty()) return Errc::empty_label;
            append_label(out.wire_, label);
            label.clear();
            ++at;
            continue;
        }
        if (text[at] == '\\') {
            const auto escaped = read_escape(text, at);
            if (!escaped) return Errc::bad_escape;
            label.push_back(*escaped);
        } else {
            label.push_back(text[at++]);
        }
        if (label.size() > kMaxLabelBytes) return Errc::label_too_long;
        if (out.wire_.size() + label.size() + 2 > kMaxNameBytes) return Errc::name_too_long;
    }
    if (!label.empty()) append_label(out.wire_, label);
    out.wire_.push_back('\0');
    return out;
}

base::Result<Name> decode_name(std::span<const std::uint8_t> message, std::size_t& offset) {
    Name out;
    out.wire_.clear();
    std::size_t at = offset;
    std::size_t behind = 0;      // where the name ends in the message; 0 until a pointer is met
    std::size_t limit = offset;  // pointers must go below the start of the part being read
    for (;;) {
        if (at >= message.size()) return Errc::truncated;
        const std::uint8_t length = message[at];
        if (length >= 0xC0) {
            if (at + 2 > message.size()) return Errc::truncated;
            const std::size_t target = (length & 0x3Fu) << 8 | message[at + 1];
            if (target >= limit) return Errc::bad_pointer;
            if (behind == 0) behind = at + 2;
            at = limit = target;
            continue;
        }
        if (length > kMaxLabelBytes) return Errc::bad_label_type;
        if (at + 1 + length > message.size()) return Errc::truncated;
        if (out.wire_.size() + 1 + length > kMaxNameBytes) return Errc::name_too_long;
        out.wire_.append(reinterpret_cast<const char*>(message.data()) + at, 1u + length);
        at += 1u + length;
        if (length == 0) break;
    }
    offset = behind == 0 ? at : behind;
    return out;
}

}  // namespace twinsite::wire::dns

std::size_t std::hash<twinsite::wire::dns::Name>::operator()(const twinsite::wire::dns::Name& name
) const noexcept {
    std::uint64_t value = 0xcbf29ce484222325;  // FNV-1a
    for (const std::uint8_t byte : name.wire())
        value = (value ^ twinsite::wire::dns::to_lower(byte)) * 0x100000001b3;
    return value;
}
