// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text/ip.hpp"

namespace twinsite::tests {

/// Writes small MaxMind databases (format 2.0, records of 32 bits), as large as a test needs.
class MmdbWriter {
public:
    using Bytes = std::string;

    explicit MmdbWriter(unsigned ip_version) : version_(ip_version), nodes_(1) {}

    static Bytes text(const std::string& value);
    static Bytes real(double value);
    static Bytes number(std::uint32_t value);
    /// Keys and values in turn, each already encoded (keys by text()).
    static Bytes map(const std::vector<Bytes>& members);
    static Bytes list(const std::vector<Bytes>& members);

    /// IPv4 networks in a tree of version 6 go below ::/96. Longer prefixes after shorter ones.
    void add(const base::text::IpPrefix& prefix, const Bytes& record);
    /// Makes all of `prefix` lead to where IPv4 is, as published databases do for ::ffff:0:0/96.
    void alias_v4(const base::text::IpPrefix& prefix);
    Bytes file() const;

private:
    static constexpr std::uint32_t kEmpty = 0xffffffff;
    struct Side {
        std::uint32_t node = kEmpty;
        std::uint32_t data = kEmpty;
    };
    struct Node {
        Side sides[2];
    };
    Side& side_of(const std::vector<bool>& bits);
    std::vector<bool> bits_of(const base::text::IpPrefix& prefix) const;

    unsigned version_;
    std::vector<Node> nodes_;
    Bytes data_;
};

}  // namespace twinsite::tests
