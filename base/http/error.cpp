// SPDX-License-Identifier: Apache-2.0
#include "base/http/error.hpp"

namespace twinsite::base::http {

namespace {

const char* to_text(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::malformed:
            return "not a valid HTTP message";
        case Errc::header_too_large:
            return "the HTTP header is too large";
        case Errc::body_too_large:
            return "the HTTP body is too large";
        case Errc::closed_early:
            return "the peer closed the connection in the middle of a message";
        case Errc::bad_tls_file:
            return "a certificate or key file is missing or does not fit";
        case Errc::bad_socket_path:
            return "the socket path is too long or not a socket";
        case Errc::wrong_identity:
            return "the server's certificate names somebody else";
    }
    return "unknown HTTP error";
}

constexpr Category kCategory("http", to_text);

}  // namespace

const boost::system::error_category& category() noexcept {
    return kCategory;
}

}  // namespace twinsite::base::http
