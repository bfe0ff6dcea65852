// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/certificate.hpp"

#include "base/crypto/error.hpp"
#include "base/crypto/openssl.hpp"

namespace twinsite::base::crypto {

namespace {

constexpr std::size_t kCertificateBytes = 64 * 1024;

}  // namespace

Result<Certificate> parse_certificate(std::string_view pem) {
    if (pem.size() > kCertificateBytes) return Errc::malformed;
    const auto certificate = read_certificate(pem);
    if (!certificate) return Errc::malformed;
    return describe(*certificate);
}

std::int64_t days_left(const Certificate& certificate, WallTime now) {
    return std::chrono::floor<std::chrono::days>(certificate.not_after - now).count();
}

WallTime wall_now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace twinsite::base::crypto
