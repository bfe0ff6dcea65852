// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/error.hpp"

namespace twinsite::gslb::zone {

namespace {

const char* to_text(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::truncated:
            return "the data ends too early";
        case Errc::no_secret:
            return "the private key is not here";
        case Errc::not_in_chain:
            return "the name has no record in the chain of denial";
    }
    return "unknown error of a zone";
}

constexpr base::Category kCategory("zone", to_text);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::gslb::zone
