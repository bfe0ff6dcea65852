// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/openssl.hpp"

#include <ctime>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/crypto/error.hpp"

namespace twinsite::base::crypto {

namespace {

constexpr std::size_t kPemBytes = 8 * 1024 * 1024;  // a long revocation list

Owned<BIO> reader_of(std::string_view bytes) {
    if (bytes.size() > kPemBytes) bytes = {};
    return Owned<BIO>(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

/// In the place of OpenSSL's own, which would ask on the terminal.
int no_pass_phrase(char*, int, int, void*) {
    return -1;
}

std::string text_of(const ASN1_STRING& string) {
    const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(&string));
    return {bytes, static_cast<std::size_t>(ASN1_STRING_length(&string))};
}

void add_address(Certificate& out, const ASN1_OCTET_STRING& octets) {
    const auto* bytes = ASN1_STRING_get0_data(&octets);
    const int size = ASN1_STRING_length(&octets);
    if (size == 16) out.addresses.push_back(text::IpAddress::from_v6(bytes));
    if (size != 4) return;
    text::IpAddress address;
    std::copy(bytes, bytes + 4, address.bytes.begin());
    out.addresses.push_back(address);
}

void add_names(Certificate& out, X509& certificate) {
    void* found = X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr);
    const Owned<GENERAL_NAMES> names(static_cast<GENERAL_NAMES*>(found));
    std::vector<std::string> uris;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type == GEN_URI) uris.push_back(text_of(*name->d.uniformResourceIdentifier));
        if (name->type == GEN_DNS) out.dns_names.push_back(text_of(*name->d.dNSName));
        if (name->type == GEN_IPADD) add_address(out, *name->d.iPAddress);
    }
    // A second one, or a hidden NUL, would make it a matter of taste who this is.
    if (uris.size() == 1 && uris[0].find('\0') == std::string::npos) out.uri = uris[0];
}

}  // namespace

void Free::operator()(BIGNUM* number) const {
    BN_free(number);
}

Error give_up(Error failure) {
    ERR_clear_error();
    return failure;
}

Owned<X509> read_certificate(std::string_view pem) {
    const auto bio = reader_of(pem);
    Owned<X509> out(bio ? PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr) : nullptr);
    ERR_clear_error();
    return out;
}

std::vector<Owned<X509>> read_certificates(std::string_view pem) {
    std::vector<Owned<X509>> out;
    const auto bio = reader_of(pem);
    while (bio) {
        Owned<X509> next(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr));
        if (!next) break;
        out.push_back(std::move(next));
    }
    ERR_clear_error();
    return out;
}

Owned<EVP_PKEY> read_key(std::string_view pem) {
    const auto bio = reader_of(pem);
    Owned<EVP_PKEY> out(
        bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, nullptr) : nullptr
    );
    ERR_clear_error();
    return out;
}

std::vector<Owned<X509_CRL>> read_revocation_lists(std::string_view pem) {
    std::vector<Owned<X509_CRL>> out;
    const auto bio = reader_of(pem);
    while (bio) {
        Owned<X509_CRL> next(PEM_read_bio_X509_CRL(bio.get(), nullptr, no_pass_phrase, nullptr));
        if (!next) break;
        out.push_back(std::move(next));
    }
    ERR_clear_error();
    return out;
}

std::string serial_text(const ASN1_INTEGER& serial) {
    const Owned<BIGNUM> number(ASN1_INTEGER_to_BN(&serial, nullptr));
    char* hex = number ? BN_bn2hex(number.get()) : nullptr;
    if (!hex) return {};
    std::string out(hex);
    OPENSSL_free(hex);
    const auto start = out.find_first_not_of('0');
    return start == std::string::npos ? "0" : out.substr(start);
}

Owned<ASN1_INTEGER> serial_number(const std::string& hex) {
    BIGNUM* parsed = nullptr;
    const int digits = BN_hex2bn(&parsed, hex.c_str());
    const Owned<BIGNUM> number(parsed);
    if (!number || hex.empty() || digits != static_cast<int>(hex.size())) return nullptr;
    return Owned<ASN1_INTEGER>(BN_to_ASN1_INTEGER(number.get(), nullptr));
}

WallTime wall_time(const ASN1_TIME& time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(&time, &parts) != 1) return {};
    return WallTime(std::chrono::seconds(::timegm(&parts)));
}

Result<Certificate> describe(X509& certificate) {
    Certificate out;
    out.serial = serial_text(*X509_get0_serialNumber(&certificate));
    out.not_before = wall_time(*X509_get0_notBefore(&certificate));
    out.not_after = wall_time(*X509_get0_notAfter(&certificate));
    out.authority = X509_check_ca(&certificate) == 1;
    const EVP_PKEY* key = X509_get0_pubkey(&certificate);
    const auto uses = X509_get_extended_key_usage(&certificate);
    const bool signs = uses != UINT32_MAX && (uses & XKU_CODE_SIGN) != 0;
    if (key && EVP_PKEY_is_a(key, "ED25519") == 1 && signs) out.use = Use::signing;
    add_names(out, certificate);
    if (out.serial.empty() || !key) return give_up(Errc::malformed);
    return out;
}

}  // namespace twinsite::base::crypto
