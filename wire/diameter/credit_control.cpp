// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/credit_control.hpp"

#include <string>

#include "wire/diameter/builder.hpp"

namespace twinsite::wire::diameter {
namespace {

constexpr std::uint32_t kSubscriptionE164 = 0;
constexpr std::uint32_t kSubscriptionImsi = 1;
constexpr std::uint32_t kEquipmentImeisv = 0;

Defect defect_of(const AvpWalk& walk) {
    return {
        result::kInvalidAvpLength, "invalid AVP length", failed_avp_for(walk.described_fault())
    };
}

Defect missing(std::uint32_t code, std::string_view text) {
    std::vector<std::uint8_t> example(code == avp::kSessionId ? 8 : 12);
    store_u32(example.data(), code);
    example[4] = avp_flag::kMandatory;
    store_u24(example.data() + 5, static_cast<std::uint32_t>(example.size()));
    return {result::kMissingAvp, text, std::move(example)};
}

std::optional<Defect> read_services(const Avp& mscc, CreditControlRequest& out) {
    auto walk = AvpWalk::of_group(mscc.data);
    for (Avp avp; walk.next(avp);) {
        if (avp.is(avp::kRatingGroup) && !out.rating_group) out.rating_group = avp.u32();
        if (avp.is(avp::kRequestedServiceUnit)) out.asks_for_units = true;
    }
    if (walk.fault()) return defect_of(walk);
    return std::nullopt;
}

void add_subscription(MessageBuilder& message, std::uint32_t type, std::string_view data) {
    const auto group = message.open(avp::kSubscriptionId);
    message.u32(avp::kSubscriptionIdType, type).text(avp::kSubscriptionIdData, data);
    message.close(group);
}

void add_units(MessageBuilder& message, std::uint32_t code, std::uint64_t octets) {
    const auto group = message.open(code);
    message.u64(avp::kCcTotalOctets, octets).close(group);
}

void add_services(MessageBuilder& message, const CcrFields& fields) {
    const auto group = message.open(avp::kMultipleServicesCreditControl);
    if (fields.type != CcRequestType::termination)
        add_units(message, avp::kRequestedServiceUnit, fields.octets);
    if (fields.type != CcRequestType::initial)
        add_units(message, avp::kUsedServiceUnit, fields.octets);
    message.u32(avp::kServiceIdentifier, 1)
        .u32(avp::kRatingGroup, fields.rating_group)
        .close(group);
}

}  // namespace

std::optional<Defect> read_ccr(std::span<const std::uint8_t> message, CreditControlRequest& out) {
    std::optional<std::string_view> session;
    std::optional<std::uint32_t> type;
    std::optional<std::uint32_t> number;
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);) {
        if (avp.vendor != 0) continue;
        switch (avp.code) {
            case avp::kSessionId:
                session = avp.text();
                break;
            case avp::kOriginHost:
                out.origin_host = avp.text();
                break;
            case avp::kCcRequestType:
                type = avp.u32();
                break;
            case avp::kCcRequestNumber:
                number = avp.u32();
                break;
            case avp::kProxyInfo:
                out.has_proxy_info = true;
                break;
            case avp::kMultipleServicesCreditControl:
                if (auto defect = read_services(avp, out)) return defect;
                break;
            default:
                break;
        }
    }
    if (walk.fault()) return defect_of(walk);
    if (!session) return missing(avp::kSessionId, "Session-Id is missing");
    if (!type || *type < 1 || *type > 4)
        return missing(avp::kCcRequestType, "CC-Request-Type is missing or unknown");
    if (!number) return missing(avp::kCcRequestNumber, "CC-Request-Number is missing");
    out.session = *session;
    out.type = static_cast<CcRequestType>(*type);
    out.number = *number;
    return std::nullopt;
}

bool read_cca(std::span<const std::uint8_t> message, CreditControlAnswer& out) {
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);) {
        if (avp.vendor != 0) continue;
        switch (avp.code) {
            case avp::kSessionId:
                out.session = avp.text();
                break;
            case avp::kOriginHost:
                out.origin_host = avp.text();
                break;
            case avp::kResultCode:
                out.result_code = avp.u32();
                break;
            case avp::kCcRequestNumber:
                out.number = avp.u32();
                break;
            case avp::kCcRequestType:
                if (const auto type = avp.u32()) out.type = static_cast<CcRequestType>(*type);
                break;
            default:
                break;
        }
    }
    return !walk.fault();
}

void build_ccr(
    std::vector<std::uint8_t>& out,
    const CcrFields& fields,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end,
    bool retransmitted
) {
    constexpr std::uint8_t kFlags = flag::kRequest | flag::kProxiable;
    const auto flags =
        static_cast<std::uint8_t>(kFlags | (retransmitted ? flag::kRetransmitted : 0));
    MessageBuilder message(
        out, {flags, command::kCreditControl, application::kCreditControl, hop_by_hop, end_to_end}
    );
    message.text(avp::kSessionId, fields.session)
        .text(avp::kOriginHost, fields.origin_host)
        .text(avp::kOriginRealm, fields.origin_realm)
        .text(avp::kDestinationRealm, fields.destination_realm)
        .u32(avp::kAuthApplicationId, application::kCreditControl)
        .text(avp::kServiceContextId, fields.service_context)
        .u32(avp::kCcRequestType, static_cast<std::uint32_t>(fields.type))
        .u32(avp::kCcRequestNumber, fields.number)
        .u32(avp::kOriginStateId, 1)
        .u32(avp::kEventTimestamp, fields.event_timestamp);
    add_subscription(message, kSubscriptionE164, fields.subscriber);
    std::string imsi = "46001";  // the IMSI that goes with this number in our simulated network
    imsi +=
        fields.subscriber.substr(fields.subscriber.size() > 10 ? fields.subscriber.size() - 10 : 0);
    add_subscription(message, kSubscriptionImsi, imsi);
    message.u32(avp::kMultipleServicesIndicator, 1);
    add_services(message, fields);
    const auto equipment = message.open(avp::kUserEquipmentInfo, 0);
    message.u32(avp::kUserEquipmentInfoType, kEquipmentImeisv, 0)
        .text(avp::kUserEquipmentInfoValue, "8675309012345601", 0)
        .close(equipment);
    message.finish();
}

void build_cca(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    const CreditControlRequest& read,
    const CcaFields& fields
) {
    const HeaderView header(request);
    MessageBuilder message(
        out,
        {static_cast<std::uint8_t>(header.flags() & flag::kProxiable),
         header.command(),
         header.application(),
         header.hop_by_hop(),
         header.end_to_end()}
    );
    message.text(avp::kSessionId, read.session)
        .u32(avp::kResultCode, fields.result_code)
        .text(avp::kOriginHost, self.host)
        .text(avp::kOriginRealm, self.realm)
        .u32(avp::kAuthApplicationId, application::kCreditControl)
        .u32(avp::kCcRequestType, static_cast<std::uint32_t>(read.type))
        .u32(avp::kCcRequestNumber, read.number)
        .u32(avp::kOriginStateId, self.state_id);
    if (fields.result_code == result::kSuccess && read.asks_for_units) {
        const auto group = message.open(avp::kMultipleServicesCreditControl);
        add_units(message, avp::kGrantedServiceUnit, fields.granted_octets);
        message.u32(avp::kRatingGroup, read.rating_group.value_or(0))
            .u32(avp::kResultCode, result::kSuccess)
            .u32(avp::kValidityTime, fields.validity_s)
            .close(group);
    }
    auto walk = AvpWalk::of_message(request);
    for (Avp avp; walk.next(avp);)
        if (avp.is(avp::kProxyInfo)) message.copy(avp.whole);
    message.finish();
}

}  // namespace twinsite::wire::diameter
