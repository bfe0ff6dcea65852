// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "base/text/ip.hpp"

namespace twinsite::base::net {

/// An IP address and a TCP or UDP port, as a value.
struct Endpoint {
    text::IpAddress address;
    std::uint16_t port = 0;

    auto operator<=>(const Endpoint&) const = default;
};

/// "192.0.2.1:53" or "[2001:db8::1]:53". The port is obligatory, 0..65535; 0 asks the kernel for a
/// free one where that makes sense. nullopt for anything else (names are not resolved here).
std::optional<Endpoint> parse_endpoint(std::string_view text);
/// The form that `parse_endpoint` reads.
std::string to_string(const Endpoint& endpoint);

/// An endpoint in the form of the socket calls.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;

    const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage); }
};
SocketAddress to_socket_address(const Endpoint& endpoint);
/// nullopt when the address is neither IPv4 nor IPv6 (a Unix socket, or nothing at all). An
/// IPv4-mapped IPv6 address becomes IPv4.
std::optional<Endpoint> from_socket_address(const SocketAddress& address);

}  // namespace twinsite::base::net
