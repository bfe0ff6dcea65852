// SPDX-License-Identifier: Apache-2.0
#include "tools/load/ccr_template.hpp"

#include <cstring>

#include "base/error/check.hpp"

namespace twinsite::tools::load {

using namespace wire::diameter;

namespace {

/// Session parts have 10 digits, enough for 32 bits, with leading zeros so that all are equally
/// long. A subscriber number ends with the last 8 of them.
constexpr std::size_t kSessionDigits = 10;
constexpr std::size_t kSubscriberDigits = 8;

void write_digits(std::uint32_t value, std::size_t digits, std::uint8_t* to) {
    for (std::size_t i = digits; i > 0; --i) {
        to[i - 1] = static_cast<std::uint8_t>('0' + value % 10);
        value /= 10;
    }
}

std::string digits_of(std::uint32_t value) {
    std::string out(kSessionDigits, '0');
    write_digits(value, kSessionDigits, reinterpret_cast<std::uint8_t*>(out.data()));
    return out;
}

std::size_t end_of(const std::vector<std::uint8_t>& message, const Avp& avp) {
    return static_cast<std::size_t>(avp.data.data() - message.data()) + avp.data.size();
}

std::size_t end_of_subscription(const std::vector<std::uint8_t>& message, const Avp& group) {
    auto walk = AvpWalk::of_group(group.data);
    for (Avp avp; walk.next(avp);)
        if (avp.is(avp::kSubscriptionIdData)) return end_of(message, avp);
    return 0;
}

}  // namespace

CcrTemplate::CcrTemplate(const Origin& origin)
    : session_prefix_(origin.host + ";" + digits_of(origin.session_high) + ";") {
    const std::string session = session_prefix_ + digits_of(0);
    const CcRequestType types[] = {
        CcRequestType::initial, CcRequestType::update, CcRequestType::termination
    };
    for (std::size_t i = 0; i < encoded_.size(); ++i)
        encoded_[i] = encode(origin, session, types[i]);
}

CcrTemplate::Encoded CcrTemplate::encode(
    const Origin& origin, std::string_view session, CcRequestType type
) {
    CcrFields fields;
    fields.session = session;
    fields.origin_host = origin.host;
    fields.origin_realm = origin.realm;
    fields.destination_realm = origin.destination_realm;
    fields.subscriber = "8613000000000";
    fields.type = type;
    fields.event_timestamp = origin.event_timestamp;
    Encoded out;
    build_ccr(out.bytes, fields, 0, 0);
    std::vector<std::size_t> subscriptions;
    auto walk = AvpWalk::of_message(out.bytes);
    for (Avp avp; walk.next(avp);) {
        if (avp.is(avp::kSessionId)) out.session_digits = end_of(out.bytes, avp) - kSessionDigits;
        if (avp.is(avp::kCcRequestNumber)) out.number = end_of(out.bytes, avp) - 4;
        if (avp.is(avp::kSubscriptionId))
            subscriptions.push_back(end_of_subscription(out.bytes, avp) - kSubscriberDigits);
    }
    BASE_CHECK(subscriptions.size() == 2);
    out.msisdn_digits = subscriptions[0];
    out.imsi_digits = subscriptions[1];
    return out;
}

void CcrTemplate::append(const Request& request, io::OutputBuffer& out) const {
    const auto& encoded = encoded_[static_cast<std::size_t>(request.type) - 1];
    std::uint8_t* const at = out.append(encoded.bytes.size());
    std::memcpy(at, encoded.bytes.data(), encoded.bytes.size());
    set_hop_by_hop(at, request.hop_by_hop);
    set_end_to_end(at, request.end_to_end);
    if (request.retransmitted) set_retransmitted(at);
    std::uint8_t* const digits = at + encoded.session_digits;
    write_digits(request.session, kSessionDigits, digits);
    const std::uint8_t* const last = digits + kSessionDigits - kSubscriberDigits;
    std::memcpy(at + encoded.msisdn_digits, last, kSubscriberDigits);
    std::memcpy(at + encoded.imsi_digits, last, kSubscriberDigits);
    store_u32(at + encoded.number, request.number);
}

bool CcrTemplate::is_session(std::string_view id, std::uint32_t session) const {
    if (id.size() != session_prefix_.size() + kSessionDigits || !id.starts_with(session_prefix_))
        return false;
    std::array<std::uint8_t, kSessionDigits> digits;
    write_digits(session, kSessionDigits, digits.data());
    return std::memcmp(id.data() + session_prefix_.size(), digits.data(), kSessionDigits) == 0;
}

}  // namespace twinsite::tools::load
