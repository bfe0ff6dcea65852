// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/error.hpp"

namespace twinsite::wire::contract {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::not_json:
            return "is not a JSON object";
        case Errc::unknown_schema:
            return "has a schema of a newer version";
        case Errc::too_large:
            return "is larger than allowed";
        case Errc::bad_fence:
            return "'fence' must be {\"generation\":N,\"revision\":N} in whole numbers";
        case Errc::bad_member:
            return "a member is missing or has the wrong type";
        case Errc::bad_text:
            return "a text is empty, too long or holds control characters";
        case Errc::bad_name:
            return "a name breaks its rules";
        case Errc::twice:
            return "an object is listed twice";
    }
    return "unknown error";
}

constexpr base::Category kCategory("contract", text_of);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::wire::contract
