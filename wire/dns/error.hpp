// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::wire::dns {

enum class Errc {
    truncated = 1,   ///< the data ends inside a field
    name_too_long,   ///< more than 255 bytes in wire form (RFC 1035 section 2.3.4)
    label_too_long,  ///< more than 63 bytes
    empty_label,     ///< two dots in a row, or a leading dot
    bad_escape,      ///< a backslash not followed by a character or three digits 000..255
    bad_pointer,     ///< a compression pointer that does not point backwards
    bad_label_type,  ///< the two top bits of a length byte are 01 or 10
    bad_option,      ///< an EDNS option longer than its OPT record
    bad_subnet,      ///< a client subnet option against RFC 7871 section 6
    trailing_bytes,  ///< bytes after the end of the value
};

base::Error make_error_code(Errc value) noexcept;

}  // namespace twinsite::wire::dns

TWINSITE_ERROR_ENUM(twinsite::wire::dns::Errc);
