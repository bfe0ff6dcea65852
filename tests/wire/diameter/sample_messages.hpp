// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.hpp"
#include "wire/diameter/base_messages.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::wire::diameter::test {

using Bytes = std::vector<std::uint8_t>;

/// Bytes of a hex literal; blanks are for the reader.
inline Bytes hex(std::string_view digits) {
    return base::text::from_hex(digits).value();
}
inline std::string to_hex(std::span<const std::uint8_t> bytes) {
    return base::text::to_hex(bytes.data(), bytes.size());
}

// Whole messages of the published failures this room must survive, by the number of the list of
// test inputs they come from. Origin-Host is "c.x", Session-Id "c;1;1" unless it is the point.
inline constexpr std::string_view kLengthFive = "0100000580000101000000001111111122222222";
inline constexpr std::string_view kLengthThirtyOne =
    "0100001f80000118000000000000000100000002000001084000000b632e7800";
inline constexpr std::string_view kZeroLengthAvp =
    "01000030c00001100000000400000001000000020000010840000000632e7800"
    "000001074000000d633b313b31000000";
inline constexpr std::string_view kShortVendorAvp =
    "01000030c0000110000000040000000100000002000001074000000d633b313b"
    "3100000000000001c0000008000028af";
inline constexpr std::string_view kFilledPadding =
    "01000030c0000110000000040000000100000002000001074000000d633b313b"
    "31ffffff000001084000000b632e7800";
inline constexpr std::string_view kNulInSession =
    "01000030c0000110000000040000000100000002000001074000000f0000633b"
    "313b3100000001084000000b632e7800";
inline constexpr std::string_view kSessionSecond =
    "01000030c0000110000000040000000100000002000001084000000b632e7800"
    "000001074000000d633b313b31000000";
inline constexpr std::string_view kErrorBitInRequest =
    "01000024e0000110000000040000000100000002000001074000000d633b313b"
    "31000000";
/// Vendor-Specific-Application-Id with two Vendor-Ids and application 4 at its end.
inline constexpr std::string_view kTwoVendors =
    "000001044000002c0000010a4000000c000028af0000010a4000000c00003435000001024000000c00000004";

inline Identity slb() {
    Identity self;
    self.host = "slb.x";
    self.realm = "x";
    self.product = "T";
    self.state_id = 7;
    self.addresses = {base::text::IpAddress::from_v4(0x7f000114)};
    return self;
}

}  // namespace twinsite::wire::diameter::test
