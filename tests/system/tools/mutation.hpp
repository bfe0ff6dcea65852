// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace twinsite::hostile {

using Bytes = std::vector<std::uint8_t>;

/// Seeded damage to messages: the same seed gives the same bytes in every run.
class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    /// A number below `limit` (0 when `limit` is 0).
    std::size_t below(std::size_t limit);

    /// Random bytes, up to `longest` of them.
    Bytes noise(std::size_t longest);

    /// One to five changes: bits, bytes, boundary values, cuts, repeats and insertions. The first
    /// `keep` bytes stay as they are.
    Bytes damage(Bytes message, std::size_t keep = 0);

    const Bytes& pick(const std::vector<Bytes>& from) { return from[below(from.size())]; }

private:
    void change(Bytes& message, std::size_t keep);

    std::mt19937 random_;
};

Bytes bytes_of(std::string_view text);

/// Valid messages to start from. The identity of the Diameter client is `host`.
std::vector<Bytes> dns_queries();
std::vector<Bytes> http_requests();
std::vector<Bytes> credit_control_requests(const std::string& host);
Bytes capabilities_request(const std::string& host);
Bytes watchdog_request(const std::string& host, std::uint32_t hop_by_hop);

/// Writes the length of a Diameter message into its header.
void set_diameter_length(Bytes& message);

}  // namespace twinsite::hostile
