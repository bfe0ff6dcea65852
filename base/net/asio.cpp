// SPDX-License-Identifier: Apache-2.0
#include "base/net/asio.hpp"

#include <algorithm>

namespace twinsite::base::net {

namespace ip = boost::asio::ip;

ip::address to_asio(const text::IpAddress& address) {
    if (address.family == text::Family::v4) return ip::address_v4(address.v4());
    ip::address_v6::bytes_type bytes;
    std::copy(address.bytes.begin(), address.bytes.end(), bytes.begin());
    return ip::address_v6(bytes);
}

text::IpAddress from_asio(const ip::address& address) {
    if (address.is_v4()) return text::IpAddress::from_v4(address.to_v4().to_uint());
    return text::IpAddress::from_v6(address.to_v6().to_bytes().data());
}

ip::tcp::endpoint to_tcp(const Endpoint& endpoint) {
    return {to_asio(endpoint.address), endpoint.port};
}
ip::udp::endpoint to_udp(const Endpoint& endpoint) {
    return {to_asio(endpoint.address), endpoint.port};
}
Endpoint from_asio(const ip::tcp::endpoint& endpoint) {
    return {from_asio(endpoint.address()), endpoint.port()};
}
Endpoint from_asio(const ip::udp::endpoint& endpoint) {
    return {from_asio(endpoint.address()), endpoint.port()};
}

}  // namespace twinsite::base::net
