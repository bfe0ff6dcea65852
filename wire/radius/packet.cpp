// SPDX-License-Identifier: Apache-2.0
#include "wire/radius/packet.hpp"

namespace twinsite::wire::radius {

namespace {

/// Walks the attributes. False when one does not fit.
bool walk(Packet& packet) {
    const auto bytes = packet.bytes;
    for (std::size_t at = kHeaderBytes; at < bytes.size();) {
        if (bytes.size() - at < 2) return false;
        const std::uint8_t type = bytes[at];
        const std::size_t size = bytes[at + 1];
        if (size < 2 || size > bytes.size() - at) return false;
        if (type == attribute::message_authenticator) {
            if (packet.authenticator_at || size != 2 + kDigestBytes) return false;
            packet.authenticator_at = at + 2;
        }
        at += size;
    }
    return true;
}

}  // namespace

std::optional<Packet> decode(std::span<const std::uint8_t> datagram) {
    if (datagram.size() < kHeaderBytes) return std::nullopt;
    const auto length = static_cast<std::size_t>(datagram[2] << 8 | datagram[3]);
    if (length < kHeaderBytes || length > kMaxBytes || length > datagram.size())
        return std::nullopt;
    Packet out;
    out.code = datagram[0];
    out.identifier = datagram[1];
    out.bytes = datagram.first(length);
    if (!walk(out)) return std::nullopt;
    return out;
}

std::vector<std::uint8_t> status_server(std::uint8_t identifier, const Authenticator& random) {
    constexpr std::uint8_t kAttributeBytes = 2 + kDigestBytes;
    std::vector<std::uint8_t> out{
        code::status_server, identifier, 0, std::uint8_t{kHeaderBytes + kAttributeBytes}
    };
    out.insert(out.end(), random.begin(), random.end());
    out.push_back(attribute::message_authenticator);
    out.push_back(kAttributeBytes);
    out.resize(out.size() + kDigestBytes);
    return out;
}

}  // namespace twinsite::wire::radius
