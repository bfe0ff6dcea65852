// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/server/listeners.hpp"
#include "tests/support/dns_messages.hpp"

namespace twinsite::gslb::server {

/// A snapshot of the zone example.net with `v` TXT "<version>", `a` A 192.0.2.1 and `big`, 40 TXT
/// records of 250 bytes.
std::shared_ptr<const answer::Snapshot> make_snapshot(std::uint64_t version);

/// `name` is relative to example.net.
tests::Bytes query_of(const std::string& name, const std::string& type, std::uint16_t id);
std::uint16_t id_of(const tests::Bytes& message);

/// A connected socket that gives up after five seconds.
class Client {
public:
    /// `type` is SOCK_DGRAM or SOCK_STREAM.
    Client(const base::net::Endpoint& server, int type);
    ~Client();
    Client(const Client&) = delete;

    void send(const tests::Bytes& bytes);
    /// Like send(), but says whether all bytes were taken at once.
    bool try_send(const tests::Bytes& bytes);
    /// One datagram; empty after five seconds without one.
    tests::Bytes receive();
    /// One message behind its length; empty when the server closed or nothing came.
    tests::Bytes receive_message();
    /// Waits until the server closes the connection.
    bool sees_end();
    void end_sending();

private:
    std::size_t read_exactly(std::uint8_t* into, std::size_t size);
    int socket_ = -1;
};

/// With the length in front, as over TCP (RFC 1035 section 4.2.2).
tests::Bytes framed(const tests::Bytes& message);

std::uint64_t value_of(const Totals& totals, std::string_view name);

base::net::Endpoint loopback(std::uint16_t port = 0);

}  // namespace twinsite::gslb::server
