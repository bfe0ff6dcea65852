// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "wire/dns/error.hpp"

namespace twinsite::wire::dns {

inline constexpr std::size_t kMaxNameBytes = 255;  // RFC 1035 section 2.3.4
inline constexpr std::size_t kMaxLabelBytes = 63;
inline constexpr std::size_t kMaxLabels = 128;  // 127 one-byte labels and the root

/// A domain name as a value: complete, uncompressed wire form of 1..255 bytes that ends with the
/// root label. Keeps the case it was given; comparing and hashing ignore the case of ASCII letters
/// (RFC 4343). Not for the query path, which works on the bytes of the packet.
class Name {
public:
    /// The root.
    Name() : wire_(1, '\0') {}

    std::span<const std::uint8_t> wire() const {
        return {reinterpret_cast<const std::uint8_t*>(wire_.data()), wire_.size()};
    }
    std::size_t size_bytes() const { return wire_.size(); }
    bool is_root() const { return wire_.size() == 1; }
    /// Labels without the root: 0 for the root, 2 for "example.net.".
    std::size_t label_count() const;
    /// The labels from the left, without the root. They point into this name.
    std::vector<std::string_view> labels() const;
    bool is_wildcard() const { return wire_.size() > 2 && wire_[0] == '\1' && wire_[1] == '*'; }
    /// Whether this name is `ancestor` or below it.
    bool is_at_or_below(const Name& ancestor) const;
    /// The name without its leftmost label; the root for the root.
    Name parent() const;
    /// ASCII letters in lower case.
    Name lowered() const;
    /// `label` (1..63 bytes, any) in front of this name.
    base::Result<Name> with_label(std::string_view label) const;
    /// This name's labels in front of `suffix`: "www" + "example.net" = "www.example.net".
    base::Result<Name> joined_to(const Name& suffix) const;
    /// Absolute master-file form with a final dot; special bytes are escaped (RFC 1035 section
    /// 5.1), so parse_name gives the same name back.
    std::string to_string() const;

    bool operator==(const Name& other) const;
    /// Canonical order (RFC 4034 section 6.1): by labels from the right, in lower case.
    std::weak_ordering operator<=>(const Name& other) const;

private:
    friend base::Result<Name> parse_name(std::string_view text);
    friend base::Result<Name> decode_name(
        std::span<const std::uint8_t> message, std::size_t& offset
    );
    std::string wire_;
};

/// Master-file text to a name; always taken as absolute, the final dot may be missing. Knows `\.`
/// and `\DDD`. "." is the root; an empty text is an error.
base::Result<Name> parse_name(std::string_view text);

/// The name at `offset` of a message, compression pointers followed (each must point backwards, so
/// the walk is finite). On success `offset` is moved behind the name as it stands there.
base::Result<Name> decode_name(std::span<const std::uint8_t> message, std::size_t& offset);

/// A letter A..Z to lower case, any other byte as it is.
constexpr std::uint8_t to_lower(std::uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte + 32) : byte;
}

}  // namespace twinsite::wire::dns

template <>
struct std::hash<twinsite::wire::dns::Name> {
    std::size_t operator()(const twinsite::wire::dns::Name& name) const noexcept;
};
