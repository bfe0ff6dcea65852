// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/rdata_text.hpp"

#include <gtest/gtest.h>

#include "base/text/text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::control {
namespace {

namespace type = wire::dns::type;

/// `hex` behind the name "example.net." at offset 0, so that C000 points to it.
std::string text_of(std::uint16_t wanted, const std::string& hex) {
    auto message = *base::text::from_hex("076578616d706c65036e657400");
    const auto offset = message.size();
    const auto rdata = *base::text::from_hex(hex);
    message.insert(message.end(), rdata.begin(), rdata.end());
    return rdata_to_text(wanted, message, offset, rdata.size());
}

TEST(RdataText, WritesAddresses) {
    EXPECT_EQ(text_of(type::a, "7f000114"), "127.0.1.20");
    EXPECT_EQ(text_of(type::aaaa, "20010db8000000000000000000000014"), "2001:db8::14");
}

TEST(RdataText, FollowsCompressedNames) {
    EXPECT_EQ(text_of(type::ns, "026e73c000"), "ns.example.net.");
    EXPECT_EQ(text_of(type::mx, "000a046d61696cc000"), "10 mail.example.net.");
    EXPECT_EQ(text_of(type::srv, "0001 0002 0f1c 036f6373 c000"), "1 2 3868 ocs.example.net.");
    EXPECT_EQ(
        text_of(type::soa, "026e73c000 0161c000 00000001 00000e10 00000384 00127500 0000003c"),
        "ns.example.net. a.example.net. 1 3600 900 1209600 60"
    );
}

TEST(RdataText, QuotesTexts) {
    EXPECT_EQ(text_of(type::txt, "03 61 22 5c 02 0a ff"), R"("a\"\\" "\010\255")");
    EXPECT_EQ(
        text_of(type::naptr, "0064 000a 0153 08 4141412b44323054 00 c000"),
        R"(100 10 "S" "AAA+D20T" "" example.net.)"
    );
}

TEST(RdataText, FallsBackToTheGenericForm) {
    EXPECT_EQ(text_of(65400, "0102ff"), "\\# 3 0102ff");
    EXPECT_EQ(text_of(65400, ""), "\\# 0");
    EXPECT_EQ(text_of(type::a, "7f0001"), "\\# 3 7f0001");
    EXPECT_EQ(text_of(type::mx, "000a"), "\\# 2 000a");
    EXPECT_EQ(text_of(type::ns, "c000 00"), "\\# 3 c00000");
    EXPECT_EQ(text_of(type::txt, "05 61"), "\\# 2 0561");
}

TEST(RdataText, NeverReadsBeyondTheMessage) {
    const std::vector<std::uint8_t> message{1, 2, 3};
    EXPECT_EQ(rdata_to_text(type::a, message, 1, 4), "");
    EXPECT_EQ(rdata_to_text(type::a, message, 9, 0), "");
}

}  // namespace
}  // namespace twinsite::gslb::control
