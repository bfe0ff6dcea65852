// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/cookie.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/text/ip.hpp"

namespace twinsite::wire::dns {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::string_view hex) {
    Bytes out;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        out.push_back(
            static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16))
        );
    return out;
}

CookieSecret secret_of(std::string_view hex) {
    CookieSecret out{};
    const Bytes bytes = bytes_of(hex);
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return out;
}

Bytes full_cookie(
    std::string_view secret, std::string_view client, const char* address, std::uint32_t now_s
) {
    Bytes out = bytes_of(client);
    out.resize(kFullCookieBytes);
    make_server_cookie(
        secret_of(secret), out.data(), *base::text::parse_ip(address), now_s, out.data() + 8
    );
    return out;
}

constexpr std::string_view kSecret = "e5e973e5a6b2a43f48e7dc849e37bfcf";
constexpr std::string_view kOldSecret = "dd3bdf9344b678b185a6f5cb60fca715";
constexpr std::string_view kNewSecret = "445536bcd2513298075a5d379663c962";
constexpr const char* kSixth = "2001:db8:220:1:59de:d0f4:8769:82b8";
constexpr std::uint32_t kNow = 1559731985;

TEST(Cookie, SipHashOfThePaper) {
    // Appendix A of the paper: key 00..0f, input 00..0e.
    CookieSecret key{};
    Bytes input;
    for (std::uint8_t i = 0; i < 16; ++i) key[i] = i;
    for (std::uint8_t i = 0; i < 15; ++i) input.push_back(i);
    EXPECT_EQ(siphash24(key, input), 0xa129ca6149be45e5u);
}

TEST(Cookie, VectorsOfRfc9018) {
    EXPECT_EQ(
        full_cookie(kSecret, "2464c4abcf10c957", "198.51.100.100", kNow),
        bytes_of("2464c4abcf10c957010000005cf79f111f8130c3eee29480")
    );
    EXPECT_EQ(
        full_cookie(kSecret, "2464c4abcf10c957", "198.51.100.100", 1559734385),
        bytes_of("2464c4abcf10c957010000005cf7a871d4a564a1442aca77")
    );
    EXPECT_EQ(
        full_cookie(kNewSecret, "22681ab97d52c298", kSixth, 1559741961),
        bytes_of("22681ab97d52c298010000005cf7c609a6bb79d16625507a")
    );
}

TEST(Cookie, BothSecretsOfARollOverAreAccepted) {
    const CookieSecrets secrets{secret_of(kNewSecret), secret_of(kOldSecret)};
    const auto old = bytes_of("22681ab97d52c298010000005cf7c57926556bd0934c72f8");
    const auto address = *base::text::parse_ip(kSixth);
    EXPECT_TRUE(is_valid_cookie(secrets, old, address, 1559741961));
    EXPECT_FALSE(is_valid_cookie({secret_of(kNewSecret), {}}, old, address, 1559741961));
}

TEST(Cookie, ReservedBytesOfAnotherServerAreHashedAsTheyCame) {
    const auto cookie = bytes_of("fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5");
    const auto address = *base::text::parse_ip("203.0.113.203");
    EXPECT_TRUE(is_valid_cookie({secret_of(kSecret), {}}, cookie, address, 1559727985 + 60));
}

TEST(Cookie, AgeAddressLengthAndVersionAreChecked) {
    const CookieSecrets secrets{secret_of(kSecret), {}};
    const auto here = *base::text::parse_ip("198.51.100.100");
    const auto cookie = full_cookie(kSecret, "2464c4abcf10c957", "198.51.100.100", kNow);
    EXPECT_TRUE(is_valid_cookie(secrets, cookie, here, kNow + 3600));
    EXPECT_FALSE(is_valid_cookie(secrets, cookie, here, kNow + 3601));
    EXPECT_TRUE(is_valid_cookie(secrets, cookie, here, kNow - 300));
    EXPECT_FALSE(is_valid_cookie(secrets, cookie, here, kNow - 301));
    EXPECT_FALSE(is_valid_cookie(secrets, cookie, *base::text::parse_ip("198.51.100.101"), kNow));
    EXPECT_FALSE(is_valid_cookie(secrets, std::span(cookie).first(8), here, kNow));
    EXPECT_FALSE(is_valid_cookie(secrets, std::span(cookie).first(16), here, kNow));
    Bytes second = cookie;
    second[8] = 2;
    EXPECT_FALSE(is_valid_cookie(secrets, second, here, kNow));
    for (std::size_t i = 0; i < cookie.size(); ++i) {
        Bytes changed = cookie;
        changed[i] ^= 0x10;
        EXPECT_FALSE(is_valid_cookie(secrets, changed, here, kNow)) << i;
    }
}

}  // namespace
}  // namespace twinsite::wire::dns
