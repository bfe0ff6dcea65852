// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/error.hpp"

namespace twinsite::gslb::transfer {
namespace {

const char* text_of(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::malformed:
            return "not the DNS message that was expected";
        case Errc::refused:
            return "the primary refuses";
        case Errc::bad_signature:
            return "the TSIG is missing, of another key, wrong or out of time";
        case Errc::not_incremental:
            return "the differences do not fit the zone that is here";
        case Errc::wrong_zone:
            return "records of another zone";
        case Errc::bad_zone:
            return "the zone cannot be served";
        case Errc::too_large:
            return "the transfer is larger than any zone may be";
        case Errc::cut_off:
            return "the connection ended in the middle of the transfer";
        case Errc::older:
            return "the primary has an older serial";
        case Errc::no_primary:
            return "no primary could be used";
        case Errc::malformed_file:
            return "is not a zone kept by this program, or is damaged";
    }
    return "unknown error";
}

constexpr base::Category kCategory("gslb.transfer", text_of);

}  // namespace

const boost::system::error_category& category() noexcept {
    return kCategory;
}

}  // namespace twinsite::gslb::transfer
