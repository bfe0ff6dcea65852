// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/error.hpp"

namespace twinsite::gslb::control {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::not_json:
            return "is not a state file of this program";
        case Errc::unknown_version:
            return "was written by a newer version";
    }
    return "unknown error";
}

constexpr base::Category kCategory("gslb.control", text_of);

}  // namespace

boost::system::error_code make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::gslb::control
