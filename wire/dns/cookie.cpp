// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/cookie.hpp"

#include <algorithm>
#include <bit>

#include "wire/dns/bytes.hpp"

namespace twinsite::wire::dns {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::int32_t kMostAge_s = 3600;
constexpr std::int32_t kMostAhead_s = 300;
/// Client cookie, version and reserved bytes, time, address.
constexpr std::size_t kHashedBytes = kClientCookieBytes + 4 + 4 + 16;

struct SipState {
    std::uint64_t a, b, c, d;

    void round() {
        a += b;
        b = std::rotl(b, 13) ^ a;
        a = std::rotl(a, 32);
        c += d;
        d = std::rotl(d, 16) ^ c;
        a += d;
        d = std::rotl(d, 21) ^ a;
        c += b;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) {
        d ^= word;
        round();
        round();
        a ^= word;
    }
};

/// The hash of a server cookie whose first 8 bytes (version, reserved, time) are at `head`.
std::uint64_t hash_of(
    const CookieSecret& secret,
    const std::uint8_t* client,
    const std::uint8_t* head,
    const base::text::IpAddress& address
) {
    std::array<std::uint8_t, kHashedBytes> input;
    std::copy_n(client, kClientCookieBytes, input.begin());
    std::copy_n(head, 8, input.begin() + kClientCookieBytes);
    std::copy_n(address.bytes.begin(), address.size_bytes(), input.begin() + 16);
    return siphash24(secret, std::span(input).first(16 + address.size_bytes()));
}

}  // namespace

std::uint64_t siphash24(const CookieSecret& key, std::span<const std::uint8_t> data) {
    const std::uint64_t low = load_word(key.data());
    const std::uint64_t high = load_word(key.data() + 8);
    SipState state{
        low ^ 0x736f6d6570736575,
        high ^ 0x646f72616e646f6d,
        low ^ 0x6c7967656e657261,
        high ^ 0x7465646279746573
    };
    std::size_t at = 0;
    for (; at + 8 <= data.size(); at += 8) state.take(load_word(data.data() + at));
    std::uint64_t last = std::uint64_t{data.size()} << 56;
    for (std::size_t i = 0; at + i < data.size(); ++i)
        last |= std::uint64_t{data[at + i]} << (8 * i);
    state.take(last);
    state.c ^= 0xff;
    for (int i = 0; i < 4; ++i) state.round();
    return state.a ^ state.b ^ state.c ^ state.d;
}

void make_server_cookie(
    const CookieSecret& secret,
    const std::uint8_t* client,
    const base::text::IpAddress& address,
    std::uint32_t now_s,
    std::uint8_t* out
) {
    store32(out, std::uint32_t{kVersion} << 24);
    store32(out + 4, now_s);
    const std::uint64_t hash = hash_of(secret, client, out, address);
    std::memcpy(out + 8, &hash, sizeof hash);
}

bool is_valid_cookie(
    const CookieSecrets& secrets,
    std::span<const std::uint8_t> cookie,
    const base::text::IpAddress& address,
    std::uint32_t now_s
) {
    if (cookie.size() != kFullCookieBytes) return false;
    const std::uint8_t* const server = cookie.data() + kClientCookieBytes;
    if (server[0] != kVersion) return false;
    // In serial number arithmetic: the time wraps in 2106.
    const auto age_s = static_cast<std::int32_t>(now_s - load32(server + 4));
    if (age_s > kMostAge_s || age_s < -kMostAhead_s) return false;
    const std::uint64_t hash = load_word(server + 8);
    if (hash_of(secrets.current, cookie.data(), server, address) == hash) return true;
    return secrets.other && hash_of(*secrets.other, cookie.data(), server, address) == hash;
}

}  // namespace twinsite::wire::dns
