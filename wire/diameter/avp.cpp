// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/avp.hpp"

namespace twinsite::wire::diameter {

std::optional<Avp> find_avp(std::span<const std::uint8_t> message, std::uint32_t code) {
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);)
        if (avp.is(code)) return avp;
    return std::nullopt;
}

std::optional<std::string_view> find_session_id(std::span<const std::uint8_t> message) {
    const auto found = find_avp(message, avp::kSessionId);
    if (!found) return std::nullopt;
    return found->text();
}

std::optional<AvpFault> check_avps(std::span<const std::uint8_t> message) {
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);) {
    }
    if (!walk.fault()) return std::nullopt;
    return walk.described_fault();
}

}  // namespace twinsite::wire::diameter
