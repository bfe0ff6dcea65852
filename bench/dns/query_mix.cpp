// SPDX-License-Identifier: Apache-2.0
#include "bench/dns/query_mix.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>

namespace twinsite::bench {

namespace {

constexpr std::uint16_t kTypeA = 1;
constexpr std::uint16_t kTypeAaaa = 28;

using Bytes = std::vector<std::uint8_t>;

void put16(Bytes& out, std::size_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
}

void put_name(Bytes& out, const std::string& name) {
    std::istringstream labels(name);
    for (std::string label; std::getline(labels, label, '.');) {
        if (label.empty() || label.size() > 63) throw std::runtime_error("bad name: " + name);
        out.push_back(static_cast<std::uint8_t>(label.size()));
        out.insert(out.end(), label.begin(), label.end());
    }
    out.push_back(0);
}

// An EDNS client subnet option (RFC 7871 section 6) of an IPv4 or IPv6 network.
Bytes client_subnet(const std::string& address, std::size_t bits) {
    std::array<std::uint8_t, 16> raw{};
    const bool v6 = address.find(':') != std::string::npos;
    if (inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), raw.data()) != 1 || bits > 128)
        throw std::runtime_error("bad client subnet: " + address);
    const auto length = (bits + 7) / 8;
    Bytes out;
    put16(out, 8);
    put16(out, 4 + length);
    put16(out, v6 ? 2 : 1);
    out.push_back(static_cast<std::uint8_t>(bits));
    out.push_back(0);
    out.insert(out.end(), raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(length));
    return out;
}

// A query with an OPT record of 1232 bytes, as resolvers send them.
Query make_query(const std::string& name, std::uint16_t type, const Bytes& options) {
    Query query;
    auto& out = query.packet;
    out = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    put_name(out, name);
    put16(out, type);
    put16(out, 1);
    query.question_end = out.size();
    out.push_back(0);
    put16(out, 41);
    put16(out, 1232);
    out.insert(out.end(), 4, 0);
    put16(out, options.size());
    out.insert(out.end(), options.begin(), options.end());
    return query;
}

std::string text(const char* format, std::uint32_t number) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, number);
    return buffer.data();
}

Query static_query(std::mt19937& random, const MixSizes& sizes) {
    const auto host = static_cast<std::uint32_t>(random() % sizes.static_names);
    auto query = make_query(text("h%05u", host) + ".static.example", kTypeA, {});
    query.rcode = 0;
    query.rdata = {
        10,
        static_cast<std::uint8_t>(host >> 16),
        static_cast<std::uint8_t>(host >> 8),
        static_cast<std::uint8_t>(host)
    };
    return query;
}

Query missing_query(std::mt19937& random) {
    const auto number = static_cast<std::uint32_t>(random());
    auto query = make_query(text("nx-%08x", number) + ".static.example", kTypeA, {});
    query.rcode = 3;
    return query;
}

Query steered_query(std::mt19937& random, const MixSizes& sizes) {
    const auto name = static_cast<std::uint32_t>(random() % sizes.steered_names);
    const auto network = static_cast<std::uint32_t>(random() % (2 * sizes.networks));
    const auto site =
        static_cast<std::uint8_t>(network < sizes.networks && network % 2 == 1 ? 2 : 1);
    const auto subnet =
        "10." + std::to_string(network) + "." + std::to_string(random() % 256) + ".0";
    const auto type = random() % 2 == 0 ? kTypeA : kTypeAaaa;
    auto query =
        make_query(text("s%03u", name) + ".steered.example", type, client_subnet(subnet, 24));
    query.rcode = 0;
    const auto high = static_cast<std::uint8_t>(name >> 8);
    const auto low = static_cast<std::uint8_t>(name);
    if (type == kTypeA)
        query.rdata = {10, static_cast<std::uint8_t>(100 + site), high, low};
    else
        query.rdata = {0x20, 0x01, 0x0d, 0xb8, 0, site, 0, 0, 0, 0, 0, 0, 0, 0, high, low};
    return query;
}

std::uint16_t parse_type(const std::string& name) {
    static const std::map<std::string, std::uint16_t> kTypes = {
        {"A", 1},
        {"NS", 2},
        {"CNAME", 5},
        {"SOA", 6},
        {"TXT", 16},
        {"SRV", 33},
        {"AAAA", 28},
    };
    const auto known = kTypes.find(name);
    if (known != kTypes.end()) return known->second;
    return static_cast<std::uint16_t>(std::stoul(name));
}

Query parse_line(const std::string& line) {
    std::istringstream words(line);
    std::string name;
    std::string type;
    std::string subnet;
    words >> name >> type >> subnet;
    if (!name.empty() && name.back() == '.') name.pop_back();
    const auto slash = subnet.find('/');
    if (slash == std::string::npos) return make_query(name, parse_type(type), {});
    return make_query(
        name,
        parse_type(type),
        client_subnet(subnet.substr(0, slash), std::stoul(subnet.substr(slash + 1)))
    );
}

}  // namespace

std::vector<Query> make_mix(const std::string& name, std::size_t count, const MixSizes& sizes) {
    // The same seed in every run: all servers get the same queries in the same order.
    std::mt19937 random(20'261'130);
    std::vector<Query> out;
    out.reserve(count);
    while (out.size() < count) {
        if (name == "static")
            out.push_back(static_query(random, sizes));
        else if (name == "static-nx")
            out.push_back(missing_query(random));
        else if (name == "steered-ecs")
            out.push_back(steered_query(random, sizes));
        else
            return {};
    }
    return out;
}

std::vector<Query> read_query_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<Query> out;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        try {
            out.push_back(parse_line(line));
        } catch (const std::exception& failure) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + failure.what());
        }
    }
    return out;
}

}  // namespace twinsite::bench
