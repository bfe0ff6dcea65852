// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/crypto/certificate.hpp"
#include "base/error/result.hpp"

/// OpenSSL's objects with owners, for this room and base/http/tls.cpp only.
namespace twinsite::base::crypto {

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_CRL* list) const { X509_CRL_free(list); }
    void operator()(X509_REVOKED* entry) const { X509_REVOKED_free(entry); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
    void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
    void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
    void operator()(GENERAL_NAME* name) const { GENERAL_NAME_free(name); }
    void operator()(X509_NAME* name) const { X509_NAME_free(name); }
    void operator()(ASN1_STRING* text) const { ASN1_STRING_free(text); }
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(BIGNUM* number) const;
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

/// Forgets what OpenSSL wrote into its queue of errors and gives ours.
Error give_up(Error failure);

/// Readers of PEM: nullptr for anything else. None of them asks a terminal for a pass phrase.
Owned<X509> read_certificate(std::string_view pem);
std::vector<Owned<X509>> read_certificates(std::string_view pem);
Owned<EVP_PKEY> read_key(std::string_view pem);
std::vector<Owned<X509_CRL>> read_revocation_lists(std::string_view pem);

/// Upper-case hex without leading zeros.
std::string serial_text(const ASN1_INTEGER& serial);
Owned<ASN1_INTEGER> serial_number(const std::string& hex);
WallTime wall_time(const ASN1_TIME& time);

Result<Certificate> describe(X509& certificate);

}  // namespace twinsite::base::crypto
