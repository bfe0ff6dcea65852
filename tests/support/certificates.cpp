// SPDX-License-Identifier: Apache-2.0
#include "tests/support/certificates.hpp"

#include <cstdio>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace twinsite::tests {

namespace {

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using File = std::unique_ptr<std::FILE, Free>;

void require(bool good, const char* what) {
    if (!good) throw std::runtime_error(std::string("cannot make a test certificate: ") + what);
}

void extend(X509& certificate, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, nullptr, nullptr, nullptr, nullptr, 0);
    std::unique_ptr<X509_EXTENSION, Free> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())
    );
    require(extension && X509_add_ext(&certificate, extension.get(), -1) == 1, value.c_str());
}

Certificate make_certificate(const std::string& common_name, EVP_PKEY& key) {
    static long serial = 1;
    Certificate out(X509_new());
    require(out != nullptr, "memory");
    X509_set_version(out.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(out.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(out.get()), 86400);
    X509_set_pubkey(out.get(), &key);
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(out.get()),
        "CN",
        MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(common_name.data()),
        static_cast<int>(common_name.size()),
        -1,
        0
    );
    return out;
}

File open_to_write(const std::string& name) {
    File out(std::fopen(name.c_str(), "w"));
    require(out != nullptr, name.c_str());
    return out;
}

void write_certificate(const std::string& name, X509& certificate) {
    const auto file = open_to_write(name);
    require(PEM_write_X509(file.get(), &certificate) == 1, name.c_str());
}

}  // namespace

struct Authority::State {
    Key key;
    Certificate certificate;
};

Authority::Authority(const std::string& name) : state_(std::make_unique<State>()) {
    state_->key.reset(EVP_EC_gen("P-256"));
    require(state_->key != nullptr, "key");
    state_->certificate = make_certificate(name, *state_->key);
    auto& own = *state_->certificate;
    X509_set_issuer_name(&own, X509_get_subject_name(&own));
    extend(own, NID_basic_constraints, "critical,CA:TRUE");
    extend(own, NID_key_usage, "critical,keyCertSign,cRLSign");
    require(X509_sign(&own, state_->key.get(), EVP_sha256()) > 0, "signature");
}

Authority::~Authority() = default;

void Authority::write(const std::string& file) const {
    write_certificate(file, *state_->certificate);
}

void Authority::issue(
    const std::string& common_name,
    const std::string& alternative_names,
    const std::string& certificate_file,
    const std::string& key_file
) const {
    const Key key(EVP_EC_gen("P-256"));
    require(key != nullptr, "key");
    const auto certificate = make_certificate(common_name, *key);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(state_->certificate.get()));
    if (!alternative_names.empty()) extend(*certificate, NID_subject_alt_name, alternative_names);
    require(X509_sign(certificate.get(), state_->key.get(), EVP_sha256()) > 0, "signature");
    write_certificate(certificate_file, *certificate);
    const auto file = open_to_write(key_file);
    const int written =
        PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    require(written == 1, key_file.c_str());
}

}  // namespace twinsite::tests
