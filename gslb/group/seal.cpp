// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/seal.hpp"

#include "base/crypto/base64.hpp"
#include "base/file/state_file.hpp"
#include "wire/contract/identity.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {
namespace {

base::Result<std::string> read_file(const std::string& path) {
    auto text = base::file::read_state_file(path);
    if (!text) return text.error();
    if (!*text) return Errc::not_signed;
    return **std::move(text);
}

}  // namespace

Seal::Seal(base::crypto::Signer signer, std::string certificate)
    : signer_(std::move(signer)), certificate_(std::move(certificate)) {}

base::Result<Seal> Seal::open(const std::string& key, const std::string& certificate) {
    const auto key_text = read_file(key);
    if (!key_text) return key_text.error();
    const auto certificate_text = read_file(certificate);
    if (!certificate_text) return certificate_text.error();
    auto signer = base::crypto::Signer::from_pem(*key_text, *certificate_text);
    if (!signer) return signer.error();
    return Seal(*std::move(signer), *certificate_text);
}

base::Result<void> Seal::sign(wire::group::IntentHeader& header) const {
    header.certificate = certificate_;
    const auto signature = signer_.sign(signed_text(header));
    if (!signature) return signature.error();
    header.signature = base::crypto::to_base64(*signature);
    return {};
}

base::Result<void> verify_seal(
    const wire::group::IntentHeader& header,
    const base::crypto::Trust& trust,
    base::crypto::WallTime now
) {
    const auto signer = trust.verify(header.certificate, base::crypto::Use::signing, now);
    if (!signer) return signer.error();
    const auto identity = wire::contract::parse_identity(signer->uri);
    if (!identity || (identity->role != "gslb" && identity->role != "operator"))
        return Errc::not_signed;
    const auto signature = base::crypto::from_base64(header.signature);
    if (!signature) return Errc::not_signed;
    return base::crypto::verify_signature(signed_text(header), *signature, header.certificate);
}

}  // namespace twinsite::gslb::group
