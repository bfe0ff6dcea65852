// SPDX-License-Identifier: Apache-2.0
#include "tests/system/tools/mutation.hpp"

#include <algorithm>
#include <array>

namespace twinsite::hostile {

namespace {

// Values at which lengths and counters go wrong.
constexpr std::array<std::uint8_t, 8> kBoundary = {0x00, 0x01, 0x07, 0x3f, 0x7f, 0x80, 0xc0, 0xff};

using Offset = std::ptrdiff_t;

void put32(Bytes& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put_avp(Bytes& out, std::uint32_t code, const Bytes& value) {
    put32(out, code);
    put32(out, 0x40000000U | static_cast<std::uint32_t>(8 + value.size()));
    out.insert(out.end(), value.begin(), value.end());
    out.resize((out.size() + 3) / 4 * 4);
}

Bytes number(std::uint32_t value) {
    Bytes out;
    put32(out, value);
    return out;
}

Bytes diameter_header(std::uint32_t flags_and_code, std::uint32_t application, std::uint32_t hop) {
    Bytes out;
    put32(out, 0x01000000);
    put32(out, flags_and_code);
    put32(out, application);
    put32(out, hop);
    put32(out, hop ^ 0x5a5a5a5aU);
    return out;
}

void put_origin(Bytes& out, const std::string& host) {
    put_avp(out, 264, bytes_of(host));
    put_avp(out, 296, bytes_of("access.example.net"));
}

Bytes dns_query(std::string_view name, std::uint8_t type, const Bytes& options) {
    Bytes out = {0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    out.insert(out.end(), name.begin(), name.end());
    out.insert(out.end(), {0, 0, type, 0, 1});
    out.insert(out.end(), {0, 0, 41, 4, 0xd0, 0, 0, 0, 0, 0});
    out.push_back(static_cast<std::uint8_t>(options.size()));
    out.insert(out.end(), options.begin(), options.end());
    return out;
}

}  // namespace

std::size_t Mutator::below(std::size_t limit) {
    return limit == 0 ? 0 : random_() % limit;
}

Bytes Mutator::noise(std::size_t longest) {
    Bytes out(below(longest + 1));
    std::generate(out.begin(), out.end(), [&] { return static_cast<std::uint8_t>(random_()); });
    return out;
}

Bytes Mutator::damage(Bytes message, std::size_t keep) {
    for (auto changes = 1 + below(5); changes > 0; --changes) change(message, keep);
    return message;
}

void Mutator::change(Bytes& message, std::size_t keep) {
    const auto room = message.size() > keep ? message.size() - keep : 0;
    const auto at = static_cast<Offset>(keep + below(room));
    if (room == 0) {
        message.push_back(static_cast<std::uint8_t>(random_()));
        return;
    }
    auto& byte = message[static_cast<std::size_t>(at)];
    switch (below(6)) {
        case 0:
            byte ^= static_cast<std::uint8_t>(1U << below(8));
            break;
        case 1:
            byte = static_cast<std::uint8_t>(random_());
            break;
        case 2:
            byte = kBoundary[below(kBoundary.size())];
            break;
        case 3:
            message.resize(static_cast<std::size_t>(at));
            break;
        case 4: {
            const auto piece = Bytes(
                message.begin() + at,
                message.begin() + at +
                    static_cast<Offset>(std::min<std::size_t>(
                        below(32), message.size() - static_cast<std::size_t>(at)
                    ))
            );
            message.insert(message.begin() + at, piece.begin(), piece.end());
            break;
        }
        default: {
            const auto piece = noise(16);
            message.insert(message.begin() + at, piece.begin(), piece.end());
        }
    }
}

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

std::vector<Bytes> dns_queries() {
    using namespace std::string_view_literals;
    constexpr auto kSteered = "\3ocs\7example\3net"sv;
    const Bytes subnet = {0, 8, 0, 7, 0, 1, 24, 0, 10, 1, 9};
    const Bytes cookie = {0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    return {
        dns_query(kSteered, 1, subnet),
        dns_query(kSteered, 28, {}),
        dns_query("\3www\7example\3net"sv, 1, cookie),
        dns_query("\7example\3net"sv, 6, {}),
        dns_query("\4gone\7example\3net"sv, 1, subnet),
        dns_query("\5alias\7example\3net"sv, 1, {}),
        dns_query("\1a\1b\1c\4wild\7example\3net"sv, 16, {}),
        dns_query("\4many\7example\3net"sv, 16, {}),
        dns_query(""sv, 2, {}),
    };
}

std::vector<Bytes> http_requests() {
    constexpr std::string_view kEnd = " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
    std::vector<Bytes> out;
    for (const std::string path :
         {"/healthz",
          "/readyz",
          "/metrics",
          "/api/v1/status",
          "/api/v1/stats",
          "/api/v1/blades",
          "/api/v1/overrides",
          "/api/v1/explain?name=ocs.example.net&type=A&client=10.1.0.1"})
        out.push_back(bytes_of("GET " + path + std::string(kEnd)));
    const std::string body = R"({"state":"drain","reason":"x","author":"y"})";
    out.push_back(bytes_of(
        "PUT /api/v1/overrides/none/none HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body
    ));
    out.push_back(bytes_of("DELETE /api/v1/blades/none" + std::string(kEnd)));
    out.push_back(
        bytes_of("POST /api/v1/blades HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n")
    );
    return out;
}

std::vector<Bytes> credit_control_requests(const std::string& host) {
    std::vector<Bytes> out;
    for (std::uint32_t type = 1; type <= 3; ++type) {
        auto message = diameter_header(0xc0000110, 4, type);
        put_avp(message, 263, bytes_of(host + ";1;" + std::to_string(type)));
        put_origin(message, host);
        put_avp(message, 283, bytes_of("example.net"));
        put_avp(message, 258, number(4));
        put_avp(message, 461, bytes_of("32251@3gpp.org"));
        put_avp(message, 416, number(type));
        put_avp(message, 415, number(type - 1));
        set_diameter_length(message);
        out.push_back(message);
    }
    return out;
}

Bytes capabilities_request(const std::string& host) {
    auto message = diameter_header(0x80000101, 0, 1);
    put_origin(message, host);
    put_avp(message, 257, {0, 1, 127, 0, 0, 1});
    put_avp(message, 266, number(0));
    put_avp(message, 269, bytes_of("hostile"));
    put_avp(message, 258, number(4));
    set_diameter_length(message);
    return message;
}

Bytes watchdog_request(const std::string& host, std::uint32_t hop_by_hop) {
    auto message = diameter_header(0x80000118, 0, hop_by_hop);
    put_origin(message, host);
    set_diameter_length(message);
    return message;
}

void set_diameter_length(Bytes& message) {
    message.resize((std::max<std::size_t>(message.size(), 20) + 3) / 4 * 4);
    message[0] = 1;
    for (std::size_t i = 0; i < 3; ++i)
        message[1 + i] = static_cast<std::uint8_t>(message.size() >> (16 - 8 * i));
}

}  // namespace twinsite::hostile
