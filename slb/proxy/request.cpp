// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/request.hpp"

#include "base/text/text.hpp"
#include "wire/diameter/avp.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::slb::proxy {

namespace {

namespace avp = wire::diameter::avp;
using wire::diameter::Avp;
using wire::diameter::AvpWalk;

SessionStep step_of(const Avp& found) {
    switch (found.u32().value_or(0)) {
        case 1:
            return SessionStep::initial;
        case 2:
            return SessionStep::update;
        case 3:
            return SessionStep::terminate;
        case 4:
            return SessionStep::event;
        default:
            return SessionStep::none;
    }
}

}  // namespace

Request read_request(
    std::span<std::uint8_t> message, const session::TagKey& key, std::string_view own_host
) {
    Request out;
    out.message = message;
    auto walk = AvpWalk::of_message(message);
    for (Avp found; walk.next(found);) {
        if (found.vendor != 0) continue;
        switch (found.code) {
            case avp::kSessionId:
                if (out.tag == 0) out.tag = session::make_tag(key, found.data);
                break;
            case avp::kCcRequestType:
                out.step = step_of(found);
                break;
            case avp::kDestinationHost:
                out.destination_host = found.text();
                break;
            case avp::kRouteRecord:
                // To the very end: a scan that stops early misses a late one.
                if (base::text::equals_ignoring_case(found.text(), own_host)) out.looped = true;
                break;
            default:
                break;
        }
    }
    out.malformed = walk.fault().has_value();
    return out;
}

std::uint32_t read_result_code(std::span<const std::uint8_t> answer) {
    auto walk = AvpWalk::of_message(answer);
    for (Avp found; walk.next(found);) {
        if (found.is(avp::kResultCode)) return found.u32().value_or(0);
        if (!found.is(avp::kExperimentalResult)) continue;
        auto inner = AvpWalk::of_group(found.data);
        for (Avp part; inner.next(part);)
            if (part.is(avp::kExperimentalResultCode)) return part.u32().value_or(0);
    }
    return 0;
}

}  // namespace twinsite::slb::proxy
