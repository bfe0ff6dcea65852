// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/error.hpp"

namespace twinsite::gslb::group {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::bad_bundle:
            return "the bundle is no list of files";
        case Errc::bad_path:
            return "a path in the bundle is not allowed";
        case Errc::too_large:
            return "the bundle is larger than 64 MiB";
        case Errc::wrong_content:
            return "the content is not what its header says";
        case Errc::not_signed:
            return "the signature is not that of a gslb or operator of our authority";
        case Errc::bad_book:
            return "the record of versions cannot be read";
        case Errc::missing_version:
            return "this version is not kept";
    }
    return "unknown error";
}

constexpr base::Category kCategory("gslb group", text_of);

}  // namespace

base::Error make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), kCategory};
}

}  // namespace twinsite::gslb::group
