// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp/echo.hpp"

namespace twinsite::wire::icmp {

using base::text::Family;

namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint8_t kRequestV4 = 8;
constexpr std::uint8_t kReplyV4 = 0;
constexpr std::uint8_t kRequestV6 = 128;
constexpr std::uint8_t kReplyV6 = 129;

void push16(std::vector<std::uint8_t>& out, std::uint16_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value & 0xFF));
}
std::uint16_t load16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

}  // namespace

std::uint16_t checksum(std::span<const std::uint8_t> bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) sum += load16(bytes, i);
    if (bytes.size() % 2 != 0) sum += static_cast<std::uint64_t>(bytes.back()) << 8;
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum & 0xFFFF);
}

std::vector<std::uint8_t> echo_request(Family family, const Echo& echo) {
    std::vector<std::uint8_t> out{family == Family::v4 ? kRequestV4 : kRequestV6, 0, 0, 0};
    push16(out, echo.identifier);
    push16(out, echo.sequence);
    out.insert(out.end(), echo.payload.begin(), echo.payload.end());
    if (family != Family::v4) return out;
    const auto sum = checksum(out);
    out[2] = static_cast<std::uint8_t>(sum >> 8);
    out[3] = static_cast<std::uint8_t>(sum & 0xFF);
    return out;
}

std::optional<Echo> decode_echo_reply(Family family, std::span<const std::uint8_t> message) {
    if (message.size() < kHeaderBytes) return std::nullopt;
    const auto reply = family == Family::v4 ? kReplyV4 : kReplyV6;
    if (message[0] != reply || message[1] != 0) return std::nullopt;
    if (family == Family::v4 && checksum(message) != 0) return std::nullopt;
    return Echo{load16(message, 4), load16(message, 6), message.subspan(kHeaderBytes)};
}

std::span<const std::uint8_t> strip_ipv4_header(std::span<const std::uint8_t> datagram) {
    constexpr std::size_t kSmallest = 20;
    if (datagram.size() < kSmallest || datagram[0] >> 4 != 4) return {};
    const std::size_t header = std::size_t{datagram[0] & 0xFU} * 4;
    if (header < kSmallest || header > datagram.size()) return {};
    return datagram.subspan(header);
}

}  // namespace twinsite::wire::icmp
