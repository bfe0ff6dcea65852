// SPDX-License-Identifier: Apache-2.0
// What arrives from others and is read with OpenSSL: certificates and signatures that travel with
// commands, and texts of our own files, on arbitrary bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto/authority.hpp"
#include "base/crypto/base64.hpp"
#include "base/crypto/certificate.hpp"
#include "base/crypto/secret.hpp"
#include "base/crypto/signature.hpp"
#include "base/crypto/trust.hpp"
#include "base/error/check.hpp"

namespace crypto = twinsite::base::crypto;

namespace {

const crypto::Trust& trust() {
    static const crypto::Authority authority =
        crypto::Authority::create("fuzz", std::chrono::days(10), crypto::wall_now()).value();
    static const crypto::Trust out =
        crypto::Trust::from_pem(authority.certificate_pem(), "").value();
    return out;
}

/// PEM of any DER: what a mutation of base64 hardly ever reaches.
std::string wrap(std::string_view bytes, const std::string& kind) {
    std::string out = "-----BEGIN " + kind + "-----\n";
    const auto text = crypto::to_base64(bytes);
    for (std::size_t at = 0; at < text.size(); at += 64) out += text.substr(at, 64) + "\n";
    return out + "-----END " + kind + "-----\n";
}

void check_certificate(std::string_view pem) {
    const auto read = crypto::parse_certificate(pem);
    if (read) BASE_CHECK(read->uri.find('\0') == std::string::npos);
    BASE_CHECK(!crypto::verify_signature("bytes", std::string(64, 's'), pem));
    // Nobody has the key of this authority.
    BASE_CHECK(!trust().verify(pem, crypto::Use::signing, crypto::wall_now()));
    BASE_CHECK(!trust().verify(pem, crypto::Use::tls, crypto::wall_now()));
}

void check_base64(std::string_view text) {
    BASE_CHECK(crypto::from_base64(crypto::to_base64(text)) == text);
    const auto bytes = crypto::from_base64(text);
    if (bytes) BASE_CHECK(crypto::to_base64(*bytes) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_base64(text);
    check_certificate(text);
    check_certificate(wrap(text, "CERTIFICATE"));
    static_cast<void>(crypto::parse_revocation_list(text));
    static_cast<void>(crypto::parse_revocation_list(wrap(text, "X509 CRL")));
    static_cast<void>(crypto::Signer::from_pem(text, text));
    // One that costs much is a legal hash, so only what is too dear or broken is asked here.
    if (text.find('$') == std::string_view::npos)
        BASE_CHECK(!crypto::check_password("password", text));
    return 0;
}
