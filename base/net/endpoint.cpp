// SPDX-License-Identifier: Apache-2.0
#include "base/net/endpoint.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

#include "base/text/text.hpp"

namespace twinsite::base::net {

std::optional<Endpoint> parse_endpoint(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    // Without brackets only IPv4: the end of "2001:db8::1:53" could be port or address.
    if (bracketed != (host.find(':') != std::string_view::npos)) return std::nullopt;
    const auto address = text::parse_ip(host);
    const auto port = text::parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!address || !port) return std::nullopt;
    return Endpoint{*address, *port};
}

std::string to_string(const Endpoint& endpoint) {
    const auto address = text::to_string(endpoint.address);
    const auto port = std::to_string(endpoint.port);
    if (endpoint.address.family == text::Family::v4) return address + ":" + port;
    return "[" + address + "]:" + port;
}

SocketAddress to_socket_address(const Endpoint& endpoint) {
    SocketAddress out;
    if (endpoint.address.family == text::Family::v4) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(endpoint.port);
        std::memcpy(&v4.sin_addr, endpoint.address.bytes.data(), 4);
        std::memcpy(&out.storage, &v4, sizeof v4);
        out.size = sizeof v4;
        return out;
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(endpoint.port);
    std::memcpy(&v6.sin6_addr, endpoint.address.bytes.data(), 16);
    std::memcpy(&out.storage, &v6, sizeof v6);
    out.size = sizeof v6;
    return out;
}

std::optional<Endpoint> from_socket_address(const SocketAddress& address) {
    if (address.storage.ss_family == AF_INET && address.size >= sizeof(sockaddr_in)) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address.storage, sizeof v4);
        return Endpoint{text::IpAddress::from_v4(ntohl(v4.sin_addr.s_addr)), ntohs(v4.sin_port)};
    }
    if (address.storage.ss_family == AF_INET6 && address.size >= sizeof(sockaddr_in6)) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address.storage, sizeof v6);
        return Endpoint{text::IpAddress::from_v6(v6.sin6_addr.s6_addr), ntohs(v6.sin6_port)};
    }
    return std::nullopt;
}

}  // namespace twinsite::base::net
