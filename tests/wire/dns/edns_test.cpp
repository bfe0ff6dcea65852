// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/edns.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/text/ip.hpp"
#include "wire/dns/error.hpp"

namespace twinsite::wire::dns {
namespace {

using Bytes = std::vector<std::uint8_t>;
using base::text::parse_ip;

base::Error subnet_error(const Bytes& data) {
    return decode_client_subnet(data).error();
}

TEST(ClientSubnet, AddressIsFilledUpWithZeros) {
    const Bytes v4 = {0, 1, 24, 0, 10, 1, 9};
    const auto subnet = decode_client_subnet(v4).value();
    EXPECT_EQ(subnet.family(), 1);
    EXPECT_EQ(subnet.source_length(), 24);
    EXPECT_EQ(subnet.address(), parse_ip("10.1.9.0"));
    const Bytes v6 = {0, 2, 33, 0, 0x20, 0x01, 0x0d, 0xb8, 0x80};
    EXPECT_EQ(decode_client_subnet(v6).value().address(), parse_ip("2001:db8:8000::"));
    const Bytes full = {0, 1, 32, 0, 192, 0, 2, 255};
    EXPECT_EQ(decode_client_subnet(full).value().address(), parse_ip("192.0.2.255"));
    const Bytes none = {0, 2, 0, 0};
    EXPECT_EQ(decode_client_subnet(none).value().address(), parse_ip("::"));
}

TEST(ClientSubnet, MappedAddressIsIpv4) {
    Bytes data = {0, 2, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 9, 7};
    EXPECT_EQ(decode_client_subnet(data).value().address(), parse_ip("10.1.9.7"));
}

TEST(ClientSubnet, MalformedOptionIsRefused) {
    // G-T4 of docs/developer/cases.md.
    EXPECT_EQ(subnet_error({0, 1, 24, 0, 10, 1, 9, 0}), Errc::bad_subnet);  // a byte too many
    EXPECT_EQ(subnet_error({0, 1, 24, 0, 10, 1}), Errc::bad_subnet);        // one too few
    EXPECT_EQ(subnet_error({0, 1, 33, 0, 10, 1, 9, 0, 0}), Errc::bad_subnet);
    EXPECT_EQ(subnet_error({0, 1, 20, 0, 10, 1, 9}), Errc::bad_subnet);  // bits beyond /20
    EXPECT_EQ(subnet_error({0, 3, 24, 0, 10, 1, 9}), Errc::bad_subnet);
    EXPECT_EQ(subnet_error({0, 3, 0, 0}), Errc::bad_subnet);
    EXPECT_EQ(subnet_error({0, 1, 24, 1, 10, 1, 9}), Errc::bad_subnet);  // scope in a query
    EXPECT_EQ(subnet_error({0, 2, 129, 0}), Errc::bad_subnet);
    EXPECT_EQ(subnet_error({0, 1, 0}), Errc::bad_subnet);
    EXPECT_EQ(subnet_error({}), Errc::bad_subnet);
}

TEST(ClientSubnet, FamilyZeroIsOnlyTheFormWithoutAddress) {
    const Bytes none = {0, 0, 0, 0};
    EXPECT_FALSE(decode_client_subnet(none).has_error());
    EXPECT_EQ(subnet_error({0, 0, 8, 0, 10}), Errc::bad_subnet);
}

TEST(Options, UnknownOnesAreSkipped) {
    const Bytes options = {0xff, 0xe9, 0, 2, 1, 2, 0, 8, 0, 5, 0, 1, 8, 0, 10, 0, 3, 0, 0};
    Edns edns;
    ASSERT_FALSE(decode_options(options, edns).has_error());
    EXPECT_EQ(edns.subnet.address(), parse_ip("10.0.0.0"));
}

TEST(Options, BrokenOnesAreRefused) {
    const auto error = [](const Bytes& options) {
        Edns edns;
        return decode_options(options, edns).error();
    };
    EXPECT_EQ(error({0, 10, 0}), Errc::bad_option);
    EXPECT_EQ(error({0, 10, 0, 3, 1, 2}), Errc::bad_option);
    EXPECT_EQ(error({0, 8, 0, 4, 0, 1, 0, 0, 0, 8, 0, 4, 0, 1, 0, 0}), Errc::bad_subnet);
    EXPECT_FALSE(error({}));
}

TEST(WriteOpt, PlainRecordHasElevenBytes) {
    Bytes out(opt_bytes({}));
    write_opt(out.data(), 1232, 0, false, {}, 0);
    EXPECT_EQ(out, (Bytes{0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0}));
    write_opt(out.data(), 4096, 16, true, {}, 0);
    EXPECT_EQ(out, (Bytes{0, 0, 41, 0x10, 0, 1, 0, 0x80, 0, 0, 0}));
}

TEST(WriteOpt, SubnetIsRepeatedByteForByteWithOurScope) {
    const Bytes data = {0, 1, 20, 0, 10, 1, 0x90};
    const ClientSubnet subnet{data};
    Bytes out(opt_bytes(subnet));
    write_opt(out.data(), 1232, 0, false, subnet, 21);
    const Bytes expected = {0, 0, 41, 4, 0xd0, 0, 0,  0,  0,  0, 11,
                            0, 8, 0,  7, 0,    1, 20, 21, 10, 1, 0x90};
    EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace twinsite::wire::dns
