// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/server/server_fixture.hpp"

#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>

#include <unistd.h>

#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/zone/index_builder.hpp"

namespace twinsite::gslb::server {

std::shared_ptr<const answer::Snapshot> make_snapshot(std::uint64_t version) {
    std::string text =
        "example.net. 300 SOA ns1.example.net. host.example.net. 1 2 3 4 60\n"
        "example.net. 300 NS ns1.example.net.\n"
        "ns1.example.net. 300 A 192.0.2.53\n"
        "a.example.net. 300 A 192.0.2.1\n"
        "v.example.net. 300 TXT \"" +
        std::to_string(version) + "\"\n";
    for (int i = 10; i < 50; ++i)
        text += "big.example.net. 300 TXT \"" + std::to_string(i) + std::string(248, 'x') + "\"\n";
    const std::vector<zone::ZoneData> zones{tests::zone_from_text("example.net.", text)};
    const auto built = zone::build_index(zones, {});
    if (!built.index) throw std::invalid_argument(built.problems.front());
    answer::SnapshotBuilder builder(
        built.index,
        std::make_shared<const steering::PrefixMap>(),
        std::make_shared<const steering::Steering>(),
        version
    );
    return builder.build(builder.initial_states());
}

tests::Bytes query_of(const std::string& name, const std::string& type, std::uint16_t id) {
    tests::Question question;
    question.name = name + ".example.net";
    question.type = type;
    question.id = id;
    return tests::make_query(question);
}

std::uint16_t id_of(const tests::Bytes& message) {
    return static_cast<std::uint16_t>(message.at(0) << 8 | message.at(1));
}

Client::Client(const base::net::Endpoint& server, int type) {
    const auto address = base::net::to_socket_address(server);
    socket_ = ::socket(address.storage.ss_family, type, 0);
    const timeval limit{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(socket_, address.data(), address.size) != 0)
        throw std::runtime_error("cannot connect to " + to_string(server));
}

Client::~Client() {
    ::close(socket_);
}

void Client::send(const tests::Bytes& bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != size)
        throw std::runtime_error("cannot send");
}

bool Client::try_send(const tests::Bytes& bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == size;
}

tests::Bytes Client::receive() {
    tests::Bytes out(65'535);
    const ssize_t size = ::recv(socket_, out.data(), out.size(), 0);
    out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return out;
}

std::size_t Client::read_exactly(std::uint8_t* into, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::recv(socket_, into + done, size - done, 0);
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

tests::Bytes Client::receive_message() {
    std::uint8_t length[2];
    if (read_exactly(length, 2) != 2) return {};
    tests::Bytes out(std::size_t{length[0]} << 8 | length[1]);
    out.resize(read_exactly(out.data(), out.size()));
    return out;
}

bool Client::sees_end() {
    std::uint8_t byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

void Client::end_sending() {
    ::shutdown(socket_, SHUT_WR);
}

tests::Bytes framed(const tests::Bytes& message) {
    tests::Bytes out{
        static_cast<std::uint8_t>(message.size() >> 8), static_cast<std::uint8_t>(message.size())
    };
    out.insert(out.end(), message.begin(), message.end());
    return out;
}

std::uint64_t value_of(const Totals& totals, std::string_view name) {
    for (const auto& [known, value] : totals)
        if (known == name) return value;
    throw std::out_of_range(std::string(name));
}

base::net::Endpoint loopback(std::uint16_t port) {
    return {*base::text::parse_ip("127.0.0.1"), port};
}

}  // namespace twinsite::gslb::server
