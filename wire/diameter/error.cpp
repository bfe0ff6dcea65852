// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/error.hpp"

#include "wire/diameter/dictionary.hpp"

namespace twinsite::wire::diameter {
namespace {

const char* to_text(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::bad_version:
            return "not Diameter version 1";
        case Errc::bad_length:
            return "invalid message length";
        case Errc::too_long:
            return "message longer than allowed";
        case Errc::bad_header_bits:
            return "invalid header bits";
        case Errc::bad_avp_length:
            return "invalid AVP length";
        case Errc::missing_avp:
            return "a required AVP is missing";
        case Errc::bad_avp_value:
            return "invalid AVP value";
        case Errc::too_many_entries:
            return "too many entries";
    }
    return "unknown";
}

constexpr base::Category kCategory("wire.diameter", to_text);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

std::uint32_t result_code_of(Errc value) noexcept {
    switch (value) {
        case Errc::bad_version:
            return result::kUnsupportedVersion;
        case Errc::bad_length:
        case Errc::too_long:
            return result::kInvalidMessageLength;
        case Errc::bad_header_bits:
            return result::kInvalidHeaderBits;
        case Errc::bad_avp_length:
            return result::kInvalidAvpLength;
        case Errc::missing_avp:
            return result::kMissingAvp;
        case Errc::bad_avp_value:
            return result::kInvalidAvpValue;
        case Errc::too_many_entries:
            return result::kAvpOccursTooManyTimes;
    }
    return result::kUnableToComply;
}

}  // namespace twinsite::wire::diameter
