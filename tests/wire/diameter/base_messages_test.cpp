// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/base_messages.hpp"

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"
#include "wire/diameter/builder.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::hex;
using test::slb;
using test::to_hex;

Bytes cer_with(std::string_view avps) {
    const auto more = hex(avps);
    Bytes out;
    MessageBuilder message(out, {flag::kRequest, command::kCapabilitiesExchange, 0, 1, 2});
    message.text(avp::kOriginHost, "c.x").text(avp::kOriginRealm, "x");
    out.insert(out.end(), more.begin(), more.end());
    message.finish();
    return out;
}

// Golden vectors, put together by hand from RFC 6733 sections 3, 4 and 5. -------------------------

TEST(BaseMessages, CerIsByteExact) {
    Bytes out;
    build_cer(out, slb(), 0x10, 0x20);
    EXPECT_EQ(
        to_hex(out),
        to_hex(hex("01000070 80000101 00000000 00000010 00000020"
                   "00000108 4000000d 736c622e 78000000"  // Origin-Host slb.x
                   "00000128 40000009 78000000"           // Origin-Realm x
                   "00000101 4000000e 00017f00 01140000"  // Host-IP-Address 127.0.1.20
                   "0000010a 4000000c 00000000"           // Vendor-Id
                   "0000010d 00000009 54000000"           // Product-Name, no M
                   "00000116 4000000c 00000007"           // Origin-State-Id
                   "00000102 4000000c ffffffff"))         // relay
    );
}

TEST(BaseMessages, DwrDwaDprAndDpaAreByteExact) {
    const std::string origin = "00000108 4000000d 736c622e 78000000 00000128 40000009 78000000";
    const std::string state = "00000116 4000000c 00000007";
    const std::string success = "0000010c 4000000c 000007d1";
    Bytes out;
    build_dwr(out, slb(), 1, 2);
    EXPECT_EQ(
        to_hex(out), to_hex(hex("0100003c 80000118 00000000 00000001 00000002" + origin + state))
    );
    Bytes dwa;
    build_dwa(dwa, slb(), HeaderView(out));
    EXPECT_EQ(
        to_hex(dwa),
        to_hex(hex("01000048 00000118 00000000 00000001 00000002" + success + origin + state))
    );
    Bytes dpr;
    build_dpr(dpr, slb(), DisconnectCause::busy, 3, 4);
    EXPECT_EQ(
        to_hex(dpr),
        to_hex(hex(
            "0100003c 8000011a 00000000 00000003 00000004" + origin + "00000111 4000000c 00000001"
        ))
    );
    Bytes dpa;
    build_dpa(dpa, slb(), HeaderView(dpr));
    EXPECT_EQ(
        to_hex(dpa), to_hex(hex("0100003c 0000011a 00000000 00000003 00000004" + success + origin))
    );
}

TEST(BaseMessages, Ipv6AddressesCarryFamilyTwo) {
    auto self = slb();
    self.addresses = {*base::text::parse_ip("2001:db8::1")};
    Bytes out;
    build_cer(out, self, 1, 2);
    const auto avp = find_avp(out, avp::kHostIpAddress);
    ASSERT_TRUE(avp);
    EXPECT_EQ(to_hex(avp->data), "000220010db8000000000000000000000001");
}

TEST(BaseMessages, CapabilitiesSurviveTheWayThere) {
    auto self = slb();
    self.auth_applications = {4, 16777238};
    self.acct_applications = {3};
    Bytes cer;
    build_cer(cer, self, 1, 2);
    Bytes cea;
    build_cea(cea, self, HeaderView(cer), 2001);
    Capabilities read;
    EXPECT_FALSE(read_capabilities(cea, read));
    EXPECT_EQ(read.host, "slb.x");
    EXPECT_EQ(read.realm, "x");
    EXPECT_EQ(read.product, "T");
    EXPECT_EQ(read.result_code, 2001U);
    EXPECT_EQ(read.state_id, 7U);
    EXPECT_EQ(read.auth_applications, self.auth_applications);
    EXPECT_EQ(read.acct_applications, self.acct_applications);
    EXPECT_FALSE(HeaderView(cea).is_request());
}

TEST(Capabilities, TheCommonApplicationIsFoundThoughItIsTheLastOfAll) {
    auto self = slb();
    self.auth_applications = {4};
    const std::string lists =
        "00000102 4000000c 00000001 00000102 4000000c 00000003 00000102 4000000c 00000004";
    for (const std::string& avps : {std::string(test::kTwoVendors), lists}) {
        Capabilities theirs;
        EXPECT_FALSE(read_capabilities(cer_with(avps), theirs));
        EXPECT_TRUE(have_common_application(self, theirs)) << avps;
    }
    Capabilities theirs;
    EXPECT_FALSE(read_capabilities(cer_with("00000102 4000000c 00000001"), theirs));
    EXPECT_FALSE(have_common_application(self, theirs));
    self.acct_applications = {1};
    EXPECT_FALSE(have_common_application(self, theirs)) << "accounting is not authentication";
    self.auth_applications = {application::kRelay};
    EXPECT_TRUE(have_common_application(self, theirs));
}

TEST(Capabilities, SixtyFourOriginHostsAreReadInPeace) {
    std::string avps;
    for (int i = 0; i < 64; ++i) avps += "00000108 4000000b 632e7800";
    Capabilities theirs;
    EXPECT_FALSE(read_capabilities(cer_with(avps), theirs));
    EXPECT_EQ(theirs.host, "c.x");
}

TEST(Capabilities, ListsAreBounded) {
    std::string avps;
    for (std::size_t i = 0; i < Capabilities::kMaxApplications + 1; ++i)
        avps += "00000102 4000000c 00000001";
    Capabilities theirs;
    const auto defect = read_capabilities(cer_with(avps), theirs);
    ASSERT_TRUE(defect);
    EXPECT_EQ(defect->result_code, 5009U);
    EXPECT_EQ(theirs.auth_applications.size(), Capabilities::kMaxApplications);
}

TEST(Capabilities, DefectsNameTheAvp) {
    const auto defect_of = [](const Bytes& message) {
        Capabilities theirs;
        return read_capabilities(message, theirs).value();
    };
    const auto short_group = defect_of(cer_with("00000104 40000010 00000102 40000000"));
    EXPECT_EQ(short_group.result_code, 5014U);
    EXPECT_EQ(to_hex(short_group.failed_avp), "000001024000000c00000000");
    const auto short_number = defect_of(cer_with("00000102 4000000a 00010000"));
    EXPECT_EQ(short_number.result_code, 5014U);
    EXPECT_EQ(to_hex(short_number.failed_avp), "000001024000000a0001");
    const auto anonymous = defect_of(hex("01000014 80000101 00000000 00000001 00000002"));
    EXPECT_EQ(anonymous.result_code, 5005U);
    EXPECT_EQ(to_hex(anonymous.failed_avp), "0000010840000008");
}

TEST(FailedAvp, HoldsTheHeaderWithTheSmallestValidLength) {
    EXPECT_EQ(
        to_hex(failed_avp_for(check_avps(hex(test::kZeroLengthAvp)).value())), "0000010840000008"
    );
    EXPECT_EQ(
        to_hex(failed_avp_for(check_avps(hex(test::kShortVendorAvp)).value())),
        "00000001c000000c000028af"
    );
    const Bytes tail = {0, 0, 1, 8, 0x40};
    EXPECT_EQ(to_hex(failed_avp_for({Errc::bad_avp_length, 20, tail})), "0000010840000008");
    const Bytes none;
    EXPECT_EQ(to_hex(failed_avp_for({Errc::bad_avp_length, 20, none})), "0000000000000008");
    const Bytes vendor_cut = {0, 0, 1, 8, 0xc0, 0, 0, 0, 1};
    EXPECT_EQ(
        to_hex(failed_avp_for({Errc::bad_avp_length, 20, vendor_cut})), "00000108c000000c01000000"
    );
}

TEST(ErrorAnswer, KeepsIdsSessionAndProxyInfoAndSaysWhy) {
    const auto request =
        hex("01000050 c0000110 00000004 00000001 00000002"
            "00000107 4000000d 633b313b 31000000"
            "0000011c 40000020 00000118 4000000b 702e7800 00000021 4000000a 01020000"
            "00000108 4000000b 632e7800");
    Bytes out;
    build_error_answer(out, slb(), request, {3002, "no blade", {}});
    EXPECT_EQ(
        to_hex(out),
        to_hex(hex("0100007c 60000110 00000004 00000001 00000002"
                   "00000107 4000000d 633b313b 31000000"
                   "00000108 4000000d 736c622e 78000000"
                   "00000128 40000009 78000000"
                   "0000010c 4000000c 00000bba"
                   "00000119 00000010 6e6f2062 6c616465"
                   "0000011c 40000020 00000118 4000000b 702e7800 00000021 4000000a 01020000"))
    );
}

TEST(ErrorAnswer, WrapsTheBadAvpOfADamagedRequest) {
    const auto request = hex(test::kZeroLengthAvp);
    const auto fault = check_avps(request);
    Bytes out;
    build_error_answer(out, slb(), request, {5014, {}, failed_avp_for(*fault)});
    const auto failed = find_avp(out, avp::kFailedAvp);
    ASSERT_TRUE(failed);
    EXPECT_EQ(to_hex(failed->data), "0000010840000008");
    EXPECT_EQ(find_avp(out, avp::kResultCode)->u32(), 5014U);
    EXPECT_FALSE(find_session_id(out)) << "unreadable behind the fault";
    EXPECT_FALSE(check_avps(out));
}

TEST(ErrorAnswer, ClearsRequestAndRetransmissionBits) {
    auto request = hex(test::kFilledPadding);
    set_retransmitted(request.data());
    Bytes out;
    build_error_answer(out, slb(), request, result::kTooBusy, "full");
    EXPECT_EQ(HeaderView(out).flags(), flag::kProxiable | flag::kError);
    EXPECT_EQ(find_session_id(out), "c;1;1");
}

TEST(Builder, CopiesPadAndGroupsNest) {
    Bytes out;
    MessageBuilder message(out, {0x80, 272, 4, 1, 2});
    const auto outer = message.open(456);
    const auto inner = message.open(437);
    message.u64(421, 5).close(inner);
    message.u32(432, 9).close(outer);
    message.copy(hex("00000021 4000000a 0102"));
    EXPECT_EQ(message.finish(), out.size());
    EXPECT_EQ(
        to_hex(out),
        to_hex(hex("0100004c 80000110 00000004 00000001 00000002"
                   "000001c8 4000002c 000001b5 40000018 000001a5 40000010 00000000 00000005"
                   "000001b0 4000000c 00000009"
                   "00000021 4000000a 01020000"))
    );
}

}  // namespace
}  // namespace twinsite::wire::diameter
