// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// The numbers we act on; everything else is forwarded unseen (RFC 6733, RFC 8506).
namespace twinsite::wire::diameter {

/// Commands. A request and its answer share the code.
namespace command {
inline constexpr std::uint32_t kCapabilitiesExchange = 257;
inline constexpr std::uint32_t kReAuth = 258;
inline constexpr std::uint32_t kCreditControl = 272;
inline constexpr std::uint32_t kAbortSession = 274;
inline constexpr std::uint32_t kDeviceWatchdog = 280;
inline constexpr std::uint32_t kDisconnectPeer = 282;
}  // namespace command

namespace application {
inline constexpr std::uint32_t kBase = 0;
inline constexpr std::uint32_t kCreditControl = 4;
inline constexpr std::uint32_t kRelay = 0xffffffff;
}  // namespace application

namespace avp {
inline constexpr std::uint32_t kUserName = 1;
inline constexpr std::uint32_t kProxyState = 33;
inline constexpr std::uint32_t kEventTimestamp = 55;
inline constexpr std::uint32_t kHostIpAddress = 257;
inline constexpr std::uint32_t kAuthApplicationId = 258;
inline constexpr std::uint32_t kAcctApplicationId = 259;
inline constexpr std::uint32_t kVendorSpecificApplicationId = 260;
inline constexpr std::uint32_t kSessionId = 263;
inline constexpr std::uint32_t kOriginHost = 264;
inline constexpr std::uint32_t kSupportedVendorId = 265;
inline constexpr std::uint32_t kVendorId = 266;
inline constexpr std::uint32_t kFirmwareRevision = 267;
inline constexpr std::uint32_t kResultCode = 268;
inline constexpr std::uint32_t kProductName = 269;
inline constexpr std::uint32_t kDisconnectCause = 273;
inline constexpr std::uint32_t kOriginStateId = 278;
inline constexpr std::uint32_t kFailedAvp = 279;
inline constexpr std::uint32_t kProxyHost = 280;
inline constexpr std::uint32_t kErrorMessage = 281;
inline constexpr std::uint32_t kRouteRecord = 282;
inline constexpr std::uint32_t kDestinationRealm = 283;
inline constexpr std::uint32_t kProxyInfo = 284;
inline constexpr std::uint32_t kDestinationHost = 293;
inline constexpr std::uint32_t kOriginRealm = 296;
inline constexpr std::uint32_t kExperimentalResult = 297;
inline constexpr std::uint32_t kExperimentalResultCode = 298;
inline constexpr std::uint32_t kInbandSecurityId = 299;
// Credit control, RFC 8506.
inline constexpr std::uint32_t kCcRequestNumber = 415;
inline constexpr std::uint32_t kCcRequestType = 416;
inline constexpr std::uint32_t kCcSessionFailover = 418;
inline constexpr std::uint32_t kCcTime = 420;
inline constexpr std::uint32_t kCcTotalOctets = 421;
inline constexpr std::uint32_t kCreditControlFailureHandling = 427;
inline constexpr std::uint32_t kGrantedServiceUnit = 431;
inline constexpr std::uint32_t kRatingGroup = 432;
inline constexpr std::uint32_t kRequestedServiceUnit = 437;
inline constexpr std::uint32_t kServiceIdentifier = 439;
inline constexpr std::uint32_t kSubscriptionId = 443;
inline constexpr std::uint32_t kSubscriptionIdData = 444;
inline constexpr std::uint32_t kUsedServiceUnit = 446;
inline constexpr std::uint32_t kValidityTime = 448;
inline constexpr std::uint32_t kSubscriptionIdType = 450;
inline constexpr std::uint32_t kMultipleServicesIndicator = 455;
inline constexpr std::uint32_t kMultipleServicesCreditControl = 456;
inline constexpr std::uint32_t kUserEquipmentInfo = 458;
inline constexpr std::uint32_t kUserEquipmentInfoType = 459;
inline constexpr std::uint32_t kUserEquipmentInfoValue = 460;
inline constexpr std::uint32_t kServiceContextId = 461;
}  // namespace avp

namespace result {
inline constexpr std::uint32_t kSuccess = 2001;
inline constexpr std::uint32_t kCommandUnsupported = 3001;
inline constexpr std::uint32_t kUnableToDeliver = 3002;
inline constexpr std::uint32_t kTooBusy = 3004;
inline constexpr std::uint32_t kLoopDetected = 3005;
inline constexpr std::uint32_t kApplicationUnsupported = 3007;
inline constexpr std::uint32_t kInvalidHeaderBits = 3008;
inline constexpr std::uint32_t kInvalidAvpBits = 3009;
inline constexpr std::uint32_t kUnknownPeer = 3010;
inline constexpr std::uint32_t kElectionLost = 4003;
inline constexpr std::uint32_t kUnknownSessionId = 5002;
inline constexpr std::uint32_t kInvalidAvpValue = 5004;
inline constexpr std::uint32_t kMissingAvp = 5005;
inline constexpr std::uint32_t kAvpOccursTooManyTimes = 5009;
inline constexpr std::uint32_t kNoCommonApplication = 5010;
inline constexpr std::uint32_t kUnsupportedVersion = 5011;
inline constexpr std::uint32_t kUnableToComply = 5012;
inline constexpr std::uint32_t kInvalidAvpLength = 5014;
inline constexpr std::uint32_t kInvalidMessageLength = 5015;
}  // namespace result

/// Disconnect-Cause, RFC 6733 section 5.4.3.
enum class DisconnectCause : std::uint32_t { rebooting = 0, busy = 1, do_not_want_to_talk = 2 };

/// Command flags, RFC 6733 section 3.
namespace flag {
inline constexpr std::uint8_t kRequest = 0x80;
inline constexpr std::uint8_t kProxiable = 0x40;
inline constexpr std::uint8_t kError = 0x20;
inline constexpr std::uint8_t kRetransmitted = 0x10;
}  // namespace flag

/// AVP flags, RFC 6733 section 4.1.
namespace avp_flag {
inline constexpr std::uint8_t kVendor = 0x80;
inline constexpr std::uint8_t kMandatory = 0x40;
}  // namespace avp_flag

}  // namespace twinsite::wire::diameter
