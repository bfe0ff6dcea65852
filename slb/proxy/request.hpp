// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "slb/proxy/pending.hpp"
#include "slb/session/tag.hpp"

namespace twinsite::slb::proxy {

/// What the relay wants to know of a client's request, read in one walk over its AVPs.
struct Request {
    std::span<std::uint8_t> message;
    session::Tag tag = 0;  ///< 0: it has no Session-Id
    SessionStep step = SessionStep::none;
    std::string_view destination_host;  ///< into the message; empty when absent
    bool looped = false;                ///< a Route-Record names us (RFC 6733 section 6.1.3)
    bool malformed = false;             ///< some AVP has a wrong length; the rest was not read
};

/// `message` is whole and framed. `own_host` is our Origin-Host.
Request read_request(
    std::span<std::uint8_t> message, const session::TagKey& key, std::string_view own_host
);

/// Result-Code of an answer, or the code inside Experimental-Result; 0 when there is none.
std::uint32_t read_result_code(std::span<const std::uint8_t> answer);

}  // namespace twinsite::slb::proxy
