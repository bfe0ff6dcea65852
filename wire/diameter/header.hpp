// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "wire/diameter/bytes.hpp"
#include "wire/diameter/dictionary.hpp"
#include "wire/diameter/error.hpp"

namespace twinsite::wire::diameter {

inline constexpr std::size_t kHeaderBytes = 20;
/// The largest length that the 24-bit field can hold and that is a multiple of 4.
inline constexpr std::uint32_t kMaxMessageBytes = 0xfffffc;
/// Longest message accepted when nothing else is configured.
inline constexpr std::uint32_t kDefaultMaxMessageBytes = 64 * 1024;

/// The fixed first 20 bytes of a message, read in place (RFC 6733 section 3). The bytes must stay
/// valid; they are checked by nobody until `check_header`.
class HeaderView {
public:
    explicit HeaderView(const std::uint8_t* message) : at_(message) {}
    /// `message` has at least 20 bytes.
    explicit HeaderView(std::span<const std::uint8_t> message) : at_(message.data()) {}

    std::uint8_t version() const { return at_[0]; }
    std::uint32_t length() const { return load_u24(at_ + 1); }
    std::uint8_t flags() const { return at_[4]; }
    std::uint32_t command() const { return load_u24(at_ + 5); }
    std::uint32_t application() const { return load_u32(at_ + 8); }
    std::uint32_t hop_by_hop() const { return load_u32(at_ + 12); }
    std::uint32_t end_to_end() const { return load_u32(at_ + 16); }

    bool is_request() const { return (flags() & flag::kRequest) != 0; }
    bool is_proxiable() const { return (flags() & flag::kProxiable) != 0; }
    bool is_error() const { return (flags() & flag::kError) != 0; }
    bool is_retransmitted() const { return (flags() & flag::kRetransmitted) != 0; }
    /// CER, DWR, DPR and their answers: never leave the link they came on.
    bool is_of_base_protocol() const {
        const auto code = command();
        return code == command::kCapabilitiesExchange || code == command::kDeviceWatchdog ||
               code == command::kDisconnectPeer;
    }

private:
    const std::uint8_t* at_;
};

/// The fields to write. The length is filled in by the builder.
struct Header {
    std::uint8_t flags = 0;
    std::uint32_t command = 0;
    std::uint32_t application = 0;
    std::uint32_t hop_by_hop = 0;
    std::uint32_t end_to_end = 0;
};

/// Writes 20 bytes.
inline void encode_header(const Header& header, std::uint32_t length, std::uint8_t* to) {
    to[0] = 1;
    store_u24(to + 1, length);
    to[4] = header.flags;
    store_u24(to + 5, header.command);
    store_u32(to + 8, header.application);
    store_u32(to + 12, header.hop_by_hop);
    store_u32(to + 16, header.end_to_end);
}

/// Changes of a received message in place: all that a relay may touch.
inline void set_hop_by_hop(std::uint8_t* message, std::uint32_t id) {
    store_u32(message + 12, id);
}
inline void set_retransmitted(std::uint8_t* message) {
    message[4] |= flag::kRetransmitted;
}
inline void set_end_to_end(std::uint8_t* message, std::uint32_t id) {
    store_u32(message + 16, id);
}

/// What is wrong with the first 4 bytes of a message, if anything: version, then the lower bound,
/// the multiple of 4 and the upper bound. Decides whether the stream can still be framed.
inline std::optional<Errc> check_frame(const std::uint8_t* first4, std::uint32_t max_bytes) {
    if (first4[0] != 1) return Errc::bad_version;
    const auto length = load_u24(first4 + 1);
    if (length < kHeaderBytes || length % 4 != 0) return Errc::bad_length;
    if (length > max_bytes) return Errc::too_long;
    return std::nullopt;
}

/// What is wrong with the command flags of a framed message: E with R, or T without R (RFC 6733
/// section 3). Reserved bits are ignored, as the receiver must.
inline std::optional<Errc> check_bits(HeaderView header) {
    if (header.is_request() ? header.is_error() : header.is_retransmitted())
        return Errc::bad_header_bits;
    return std::nullopt;
}

}  // namespace twinsite::wire::diameter
