// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/trust.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/crypto/error.hpp"
#include "base/crypto/openssl.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::crypto {

struct Trust::Native {
    Owned<X509_STORE> store;
};

namespace {

bool signed_by(X509_CRL& list, X509& authority) {
    if (X509_NAME_cmp(X509_CRL_get_issuer(&list), X509_get_subject_name(&authority)) != 0)
        return false;
    EVP_PKEY* key = X509_get0_pubkey(&authority);
    return key != nullptr && X509_CRL_verify(&list, key) == 1;
}

Result<void> add_lists(
    X509_STORE& store, const std::vector<Owned<X509>>& authorities, std::string_view pem
) {
    const auto lists = read_revocation_lists(pem);
    if (lists.empty()) return Errc::malformed;
    for (const auto& list : lists) {
        const bool own =
            std::any_of(authorities.begin(), authorities.end(), [&](const Owned<X509>& authority) {
                return signed_by(*list, *authority);
            });
        if (!own) return give_up(Errc::not_trusted);
        if (X509_STORE_add_crl(&store, list.get()) != 1) return give_up(Errc::failed);
    }
    if (X509_STORE_set_flags(&store, X509_V_FLAG_CRL_CHECK) != 1) return give_up(Errc::failed);
    return {};
}

Errc verdict(int reason) {
    switch (reason) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
        case X509_V_ERR_CERT_NOT_YET_VALID:
        case X509_V_ERR_CRL_HAS_EXPIRED:
        case X509_V_ERR_CRL_NOT_YET_VALID:
            return Errc::expired;
        case X509_V_ERR_CERT_REVOKED:
            return Errc::revoked;
        case X509_V_ERR_INVALID_PURPOSE:
            return Errc::wrong_use;
        case X509_V_ERR_OUT_OF_MEM:
            return Errc::failed;
        default:
            return Errc::not_trusted;
    }
}

/// The text of a file; empty for an empty path.
Result<std::string> text_at(const std::string& path) {
    if (path.empty()) return std::string();
    auto text = file::read_state_file(path);
    if (!text) return text.error();
    if (!*text) return Error(ENOENT, boost::system::system_category());
    if ((*text)->empty()) return Errc::malformed;
    return std::move(**text);
}

}  // namespace

Trust::Trust(std::unique_ptr<Native> native) : native_(std::move(native)) {}
Trust::Trust(Trust&&) noexcept = default;
Trust& Trust::operator=(Trust&&) noexcept = default;
Trust::~Trust() = default;

Result<Trust> Trust::from_pem(std::string_view authorities, std::string_view revocations) {
    auto native = std::make_unique<Native>();
    native->store.reset(X509_STORE_new());
    if (!native->store) return give_up(Errc::failed);
    const auto trusted = read_certificates(authorities);
    if (trusted.empty()) return Errc::malformed;
    for (const auto& authority : trusted)
        if (X509_STORE_add_cert(native->store.get(), authority.get()) != 1)
            return give_up(Errc::failed);
    if (!revocations.empty()) {
        if (auto added = add_lists(*native->store, trusted, revocations); !added)
            return added.error();
    }
    return Trust(std::move(native));
}

Result<Certificate> Trust::verify(std::string_view pem, Use use, WallTime now) const {
    if (auto readable = parse_certificate(pem); !readable) return readable.error();
    const auto certificate = read_certificate(pem);
    const Owned<X509_STORE_CTX> context(X509_STORE_CTX_new());
    if (!certificate || !context ||
        X509_STORE_CTX_init(context.get(), native_->store.get(), certificate.get(), nullptr) != 1) {
        return give_up(Errc::failed);
    }
    X509_STORE_CTX_set_time(context.get(), 0, now.time_since_epoch().count());
    if (use == Use::tls && X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT) != 1)
        return give_up(Errc::failed);
    if (X509_verify_cert(context.get()) != 1)
        return give_up(verdict(X509_STORE_CTX_get_error(context.get())));
    auto out = describe(*certificate);
    if (!out) return out.error();
    if (out->use != use || out->authority) return give_up(Errc::wrong_use);
    return out;
}

TrustFiles::TrustFiles(std::string authorities, std::string revocations, Trust trust)
    : authorities_(std::move(authorities)),
      revocations_(std::move(revocations)),
      watch_({authorities_, revocations_}),
      trust_(std::move(trust)) {}

Result<Trust> TrustFiles::load(const std::string& authorities, const std::string& revocations) {
    const auto trusted = text_at(authorities);
    if (!trusted) return trusted.error();
    const auto revoked = text_at(revocations);
    if (!revoked) return revoked.error();
    return Trust::from_pem(*trusted, *revoked);
}

Result<TrustFiles> TrustFiles::open(
    const std::string& authorities, const std::string& revocations
) {
    auto trust = load(authorities, revocations);
    if (!trust) return trust.error();
    return TrustFiles(authorities, revocations, std::move(*trust));
}

const Trust& TrustFiles::current() {
    if (!watch_.changed(std::chrono::steady_clock::now())) return trust_;
    auto fresh = load(authorities_, revocations_);
    if (fresh) {
        trust_ = std::move(*fresh);
        return trust_;
    }
    log::event(
        log::Level::error,
        "trust_refused",
        {{"ca", authorities_}, {"crl", revocations_}, {"error", fresh.error().message()}}
    );
    return trust_;
}

}  // namespace twinsite::base::crypto
