// SPDX-License-Identifier: Apache-2.0
#include "wire/group/error.hpp"

namespace twinsite::wire::group {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::frame_too_large:
            return "a frame is longer or shorter than allowed";
        case Errc::unknown_version:
            return "a frame has a version that was not agreed";
        case Errc::bad_number:
            return "a number of a message is out of its range";
        case Errc::bad_hash:
            return "a hash of a message is not 64 hexadecimal digits";
    }
    return "unknown error";
}

constexpr base::Category kCategory("group", text_of);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::wire::group
