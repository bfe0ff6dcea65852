// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/base_messages.hpp"

#include <algorithm>

#include "wire/diameter/builder.hpp"

namespace twinsite::wire::diameter {
namespace {

/// Smallest payload of an AVP's type, for the AVPs whose type we know.
std::size_t min_payload_bytes(std::uint32_t code) {
    switch (code) {
        case avp::kAuthApplicationId:
        case avp::kAcctApplicationId:
        case avp::kVendorId:
        case avp::kSupportedVendorId:
        case avp::kFirmwareRevision:
        case avp::kResultCode:
        case avp::kOriginStateId:
        case avp::kDisconnectCause:
        case avp::kEventTimestamp:
        case avp::kCcRequestNumber:
        case avp::kCcRequestType:
        case avp::kSubscriptionIdType:
        case avp::kInbandSecurityId:
            return 4;
        case avp::kHostIpAddress:
            return 6;  // family and an IPv4 address
        default:
            return 0;
    }
}

Defect avp_defect(std::uint32_t code, std::string_view text, const Avp& avp) {
    return {code, text, {avp.whole.begin(), avp.whole.end()}};
}

Defect fault_defect(const AvpWalk& walk) {
    return {
        result::kInvalidAvpLength, "invalid AVP length", failed_avp_for(walk.described_fault())
    };
}

Defect missing_defect(std::uint32_t code, std::string_view text) {
    std::vector<std::uint8_t> example(8 + padded(min_payload_bytes(code)));
    store_u32(example.data(), code);
    example[4] = avp_flag::kMandatory;
    store_u24(example.data() + 5, static_cast<std::uint32_t>(8 + min_payload_bytes(code)));
    return {result::kMissingAvp, text, std::move(example)};
}

std::optional<Defect> add_application(std::vector<std::uint32_t>& list, const Avp& avp) {
    const auto value = avp.u32();
    if (!value) return avp_defect(result::kInvalidAvpLength, "application id is not 4 bytes", avp);
    if (list.size() >= Capabilities::kMaxApplications)
        return avp_defect(result::kAvpOccursTooManyTimes, "too many applications", avp);
    list.push_back(*value);
    return std::nullopt;
}

std::optional<Defect> read_application(const Avp& avp, Capabilities& out) {
    if (avp.is(avp::kAuthApplicationId)) return add_application(out.auth_applications, avp);
    if (avp.is(avp::kAcctApplicationId)) return add_application(out.acct_applications, avp);
    return std::nullopt;
}

std::optional<Defect> read_vendor_specific(const Avp& group, Capabilities& out) {
    auto walk = AvpWalk::of_group(group.data);
    for (Avp avp; walk.next(avp);)
        if (auto defect = read_application(avp, out)) return defect;
    if (walk.fault()) return fault_defect(walk);
    return std::nullopt;
}

std::optional<Defect> read_number(const Avp& avp, std::optional<std::uint32_t>& to) {
    to = avp.u32();
    if (!to) return avp_defect(result::kInvalidAvpLength, "value is not 4 bytes", avp);
    return std::nullopt;
}

std::optional<Defect> read_one(const Avp& avp, Capabilities& out) {
    if (avp.vendor != 0) return std::nullopt;
    switch (avp.code) {
        case avp::kOriginHost:
            out.host = avp.text();
            return std::nullopt;
        case avp::kOriginRealm:
            out.realm = avp.text();
            return std::nullopt;
        case avp::kProductName:
            out.product = avp.text();
            return std::nullopt;
        case avp::kResultCode:
            return read_number(avp, out.result_code);
        case avp::kOriginStateId:
            return read_number(avp, out.state_id);
        case avp::kVendorSpecificApplicationId:
            return read_vendor_specific(avp, out);
        default:
            return read_application(avp, out);
    }
}

bool holds(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool intersect(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    return std::any_of(a.begin(), a.end(), [&b](std::uint32_t id) { return holds(b, id); });
}

Header answer_header(HeaderView request, std::uint8_t flags) {
    return {
        static_cast<std::uint8_t>((request.flags() & flag::kProxiable) | flags),
        request.command(),
        request.application(),
        request.hop_by_hop(),
        request.end_to_end()
    };
}

MessageBuilder& add_origin(MessageBuilder& message, const Identity& self) {
    return message.text(avp::kOriginHost, self.host).text(avp::kOriginRealm, self.realm);
}

void add_capabilities(MessageBuilder& message, const Identity& self) {
    for (const auto& address : self.addresses)
        message.address(avp::kHostIpAddress, {address.bytes.data(), address.size_bytes()});
    message.u32(avp::kVendorId, self.vendor).text(avp::kProductName, self.product, 0);
    message.u32(avp::kOriginStateId, self.state_id);
    for (const auto id : self.auth_applications) message.u32(avp::kAuthApplicationId, id);
    for (const auto id : self.acct_applications) message.u32(avp::kAcctApplicationId, id);
}

void add_defect(MessageBuilder& message, const Defect& defect) {
    if (!defect.text.empty()) message.text(avp::kErrorMessage, defect.text, 0);
    if (defect.failed_avp.empty()) return;
    const auto group = message.open(avp::kFailedAvp);
    message.copy(defect.failed_avp).close(group);
}

std::uint8_t error_bit(std::uint32_t result_code) {
    return result_code / 1000 == 3 ? flag::kError : std::uint8_t{0};
}

void build_local_answer(
    std::vector<std::uint8_t>& out, const Identity& self, HeaderView request, bool with_state_id
) {
    MessageBuilder message(out, answer_header(request, 0));
    message.u32(avp::kResultCode, result::kSuccess);
    add_origin(message, self);
    if (with_state_id) message.u32(avp::kOriginStateId, self.state_id);
    message.finish();
}

}  // namespace

std::vector<std::uint8_t> failed_avp_for(const AvpFault& fault) {
    const auto& from = fault.bytes;
    if (from.size() < 8) {  // not even a header: report what there is, completed with zeros
        std::vector<std::uint8_t> header(8);
        std::copy(from.begin(), from.end(), header.begin());
        header[4] &= static_cast<std::uint8_t>(~avp_flag::kVendor);
        store_u24(header.data() + 5, 8);
        return header;
    }
    const bool vendor = (from[4] & avp_flag::kVendor) != 0;
    const std::size_t header = vendor ? 12 : 8;
    const std::size_t payload = vendor ? 0 : min_payload_bytes(load_u32(from.data()));
    std::vector<std::uint8_t> out(header + padded(payload));
    std::copy_n(from.begin(), std::min(header, from.size()), out.begin());
    store_u24(out.data() + 5, static_cast<std::uint32_t>(header + payload));
    return out;
}

std::optional<Defect> read_capabilities(std::span<const std::uint8_t> message, Capabilities& out) {
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);)
        if (auto defect = read_one(avp, out)) return defect;
    if (walk.fault()) return fault_defect(walk);
    if (out.host.empty()) return missing_defect(avp::kOriginHost, "Origin-Host is missing");
    if (out.realm.empty()) return missing_defect(avp::kOriginRealm, "Origin-Realm is missing");
    return std::nullopt;
}

bool have_common_application(const Identity& ours, const Capabilities& theirs) {
    if (holds(ours.auth_applications, application::kRelay) ||
        holds(theirs.auth_applications, application::kRelay) ||
        holds(ours.acct_applications, application::kRelay) ||
        holds(theirs.acct_applications, application::kRelay))
        return true;
    return intersect(ours.auth_applications, theirs.auth_applications) ||
           intersect(ours.acct_applications, theirs.acct_applications);
}

void build_cer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
) {
    MessageBuilder message(
        out,
        {flag::kRequest, command::kCapabilitiesExchange, application::kBase, hop_by_hop, end_to_end}
    );
    add_capabilities(add_origin(message, self), self);
    message.finish();
}

void build_cea(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    HeaderView request,
    std::uint32_t result_code,
    const Defect* defect
) {
    MessageBuilder message(out, answer_header(request, error_bit(result_code)));
    message.u32(avp::kResultCode, result_code);
    add_capabilities(add_origin(message, self), self);
    if (defect != nullptr) add_defect(message, *defect);
    message.finish();
}

void build_dwr(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
) {
    MessageBuilder message(
        out, {flag::kRequest, command::kDeviceWatchdog, application::kBase, hop_by_hop, end_to_end}
    );
    add_origin(message, self).u32(avp::kOriginStateId, self.state_id);
    message.finish();
}

void build_dwa(std::vector<std::uint8_t>& out, const Identity& self, HeaderView request) {
    build_local_answer(out, self, request, true);
}

void build_dpr(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    DisconnectCause cause,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
) {
    MessageBuilder message(
        out, {flag::kRequest, command::kDisconnectPeer, application::kBase, hop_by_hop, end_to_end}
    );
    add_origin(message, self).u32(avp::kDisconnectCause, static_cast<std::uint32_t>(cause));
    message.finish();
}

void build_dpa(std::vector<std::uint8_t>& out, const Identity& self, HeaderView request) {
    build_local_answer(out, self, request, false);
}

void build_error_answer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    const Defect& defect
) {
    const HeaderView header(request);
    MessageBuilder message(out, answer_header(header, flag::kError));
    // Session-Id comes first by the grammar of section 7.2, so two walks.
    if (const auto session = find_session_id(request)) message.text(avp::kSessionId, *session);
    add_origin(message, self).u32(avp::kResultCode, defect.result_code);
    add_defect(message, defect);
    auto walk = AvpWalk::of_message(request);
    for (Avp avp; walk.next(avp);)
        if (avp.is(avp::kProxyInfo)) message.copy(avp.whole);
    message.finish();
}

void build_error_answer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    std::uint32_t result_code,
    std::string_view text
) {
    build_error_answer(out, self, request, Defect{result_code, text, {}});
}

}  // namespace twinsite::wire::diameter
