// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/message.hpp"

#include <gtest/gtest.h>

namespace twinsite::wire::dns {
namespace {

TEST(Type, NamesAreThoseOfTheRegistry) {
    EXPECT_EQ(type_to_string(28), "AAAA");
    EXPECT_EQ(type_to_string(65280), "TYPE65280");
    EXPECT_EQ(parse_type("aaaa"), 28);
    EXPECT_EQ(parse_type("TYPE28"), 28);
    EXPECT_EQ(parse_type("type65535"), 65535);
    EXPECT_FALSE(parse_type("TYPE65536"));
    EXPECT_FALSE(parse_type("TYPE"));
    EXPECT_FALSE(parse_type("bogus"));
    EXPECT_FALSE(parse_type(""));
}

TEST(Type, MetaTypesHaveNoData) {
    for (const std::uint16_t meta : {0, 41, 128, 249, 251, 252, 255})
        EXPECT_TRUE(type::is_meta(meta)) << meta;
    for (const std::uint16_t data : {1, 28, 127, 256, 257, 65535})
        EXPECT_FALSE(type::is_meta(data)) << data;
}

TEST(Rcode, NamesAreThoseOfTheRegistry) {
    EXPECT_EQ(rcode_to_string(Rcode::nx_domain), "NXDOMAIN");
    EXPECT_EQ(rcode_to_string(Rcode::bad_vers), "BADVERS");
    EXPECT_EQ(rcode_to_string(static_cast<Rcode>(9)), "RCODE9");
}

}  // namespace
}  // namespace twinsite::wire::dns
