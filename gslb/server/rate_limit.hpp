// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/conduct.hpp"

namespace twinsite::gslb::server {

/// Response rate limiting: how many replies of one kind a network gets in a second over UDP, from
/// each worker. Against floods that use us as a mirror: the "client" of such queries is the victim.
struct RateLimit {
    std::uint32_t per_second = 0;          ///< 0: off
    std::uint32_t slip = 2;                ///< every so many-th of the others goes out cut; 0: none
    std::uint8_t v4_prefix_bits = 24;      ///< 1..32
    std::uint8_t v6_prefix_bits = 56;      ///< 1..64
    std::uint32_t table_entries = 65'536;  ///< for each worker; at least 4

    bool operator==(const RateLimit&) const = default;
};

/// The counts of one worker. No lock: the worker is alone with it. Its size is fixed, so that a
/// flood of forged addresses costs no memory; then the network heard least gives up its place.
class RateTable {
public:
    enum class Verdict : std::uint8_t {
        send,
        cut,  ///< send it with TC and empty: a true client comes back over TCP
        drop,
    };

    /// `secret` keeps others from finding networks that share a place.
    explicit RateTable(std::uint64_t secret) : secret_(secret) {}

    /// Takes the limit for the next calls. Allocates when the size changes.
    void set_limit(const RateLimit& limit);
    bool is_on() const { return limit_.per_second != 0; }
    /// Counts one reply of `kind` to `client`. Only while is_on().
    Verdict count(
        const base::text::IpAddress& client, answer::Outcome::Kind kind, std::uint32_t now_s
    );

private:
    struct Entry {
        std::uint32_t tag = 0;
        std::uint32_t second = 0;
        std::uint32_t replies = 0;  ///< within that second
    };
    static constexpr std::size_t kWays = 4;
    using Set = std::array<Entry, kWays>;

    std::uint64_t hash(const base::text::IpAddress& client, answer::Outcome::Kind kind) const;
    Entry& find(Set& set, std::uint32_t tag, std::uint32_t now_s);

    std::uint64_t secret_;
    RateLimit limit_;
    std::vector<Set> sets_;
    std::uint64_t mask_ = 0;
};

}  // namespace twinsite::gslb::server
