// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/error.hpp"

namespace twinsite::wire::dns {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::truncated:
            return "the data ends inside a field";
        case Errc::name_too_long:
            return "the name has more than 255 bytes";
        case Errc::label_too_long:
            return "a label has more than 63 bytes";
        case Errc::empty_label:
            return "the name has an empty label";
        case Errc::bad_escape:
            return "a backslash must be followed by a character or \\DDD";
        case Errc::bad_pointer:
            return "a compression pointer does not point backwards";
        case Errc::bad_label_type:
            return "unknown label type";
        case Errc::bad_option:
            return "an EDNS option is longer than its record";
        case Errc::bad_subnet:
            return "malformed client subnet option";
        case Errc::trailing_bytes:
            return "bytes after the end of the value";
    }
    return "unknown error";
}

constexpr base::Category kCategory("dns", text_of);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::wire::dns
