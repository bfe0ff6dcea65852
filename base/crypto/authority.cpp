// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/authority.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <openssl/pem.h>
#include <openssl/rand.h>

#include "base/crypto/error.hpp"
#include "base/crypto/openssl.hpp"

namespace twinsite::base::crypto {

namespace {

/// Clocks of other machines may be behind ours. A list that is "not valid yet" stops everything,
/// while a certificate stops only its owner.
constexpr std::chrono::hours kClockSlack{1};
constexpr std::chrono::hours kListClockSlack{24};
constexpr long kVersion3 = 2;
constexpr long kListVersion2 = 1;

struct Reason {
    const char* word;
    long code;
};
constexpr std::array<Reason, 5> kReasons{{
    {"unspecified", 0},
    {"keyCompromise", 1},
    {"affiliationChanged", 3},
    {"superseded", 4},
    {"cessationOfOperation", 5},
}};

const char* word_of(long code) {
    for (const auto& reason : kReasons)
        if (reason.code == code) return reason.word;
    return kReasons[0].word;
}

long code_of(const std::string& word) {
    for (const auto& reason : kReasons)
        if (word == reason.word) return reason.code;
    return 0;
}

template <class Write>
std::string to_pem(Write write) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    if (!bio || write(bio.get()) != 1) return {};
    const char* bytes = nullptr;
    // BIO_get_mem_data is a macro with a cast in the old style.
    const long size = BIO_ctrl(bio.get(), BIO_CTRL_INFO, 0, static_cast<void*>(&bytes));
    return {bytes, static_cast<std::size_t>(size)};
}

std::string pem_of(X509& certificate) {
    return to_pem([&](BIO* to) { return PEM_write_bio_X509(to, &certificate); });
}

std::string pem_of(EVP_PKEY& key) {
    return to_pem([&](BIO* to) {
        return PEM_write_bio_PrivateKey(to, &key, nullptr, nullptr, 0, nullptr, nullptr);
    });
}

bool set_time(ASN1_TIME* time, WallTime to) {
    return time && ASN1_TIME_set(time, to.time_since_epoch().count()) != nullptr;
}

/// 127 random bits: RFC 5280 4.1.2.2 wants a positive number of at most 20 bytes.
bool set_serial(X509& certificate) {
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
    bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7F) | 0x40);
    std::string hex;
    for (const unsigned byte : bytes) {
        hex += "0123456789ABCDEF"[byte >> 4];
        hex += "0123456789ABCDEF"[byte & 15];
    }
    const auto serial = serial_number(hex);
    return serial && X509_set_serialNumber(&certificate, serial.get()) == 1;
}

bool add_organization(X509_NAME* name, const std::string& text) {
    return X509_NAME_add_entry_by_NID(
               name,
               NID_organizationName,
               MBSTRING_UTF8,
               reinterpret_cast<const unsigned char*>(text.data()),
               static_cast<int>(text.size()),
               -1,
               0
           ) == 1;
}

/// `value` in OpenSSL's configuration form: never text from outside.
bool extend(X509& certificate, X509& issuer, int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> made(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
    return made && X509_add_ext(&certificate, made.get(), -1) == 1;
}

bool add_name(GENERAL_NAMES& names, int type, std::string_view bytes) {
    Owned<GENERAL_NAME> name(GENERAL_NAME_new());
    ASN1_STRING* text =
        ASN1_STRING_type_new(type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    if (!name || !text ||
        ASN1_STRING_set(text, bytes.data(), static_cast<int>(bytes.size())) != 1) {
        ASN1_STRING_free(text);
        return false;
    }
    GENERAL_NAME_set0_value(name.get(), type, text);
    return sk_GENERAL_NAME_push(&names, name.release()) > 0;
}

bool add_names(X509& certificate, const Order& order) {
    const Owned<GENERAL_NAMES> names(GENERAL_NAMES_new());
    bool good = names && add_name(*names, GEN_URI, order.uri);
    for (const auto& name : order.dns_names) good = good && add_name(*names, GEN_DNS, name);
    for (const auto& address : order.addresses) {
        const auto* bytes = reinterpret_cast<const char*>(address.bytes.data());
        good = good && add_name(*names, GEN_IPADD, {bytes, address.size_bytes()});
    }
    return good && X509_add1_ext_i2d(
                       &certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT
                   ) == 1;
}

bool is_uri(const std::string& text) {
    const auto plain = [](char letter) { return letter > ' ' && letter < 0x7F; };
    return !text.empty() && text.size() <= 255 && text.find("://") != std::string::npos &&
           std::all_of(text.begin(), text.end(), plain);
}

bool is_dns_name(const std::string& text) {
    const auto plain = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    };
    return !text.empty() && text.size() <= 253 && text.front() != '.' && text.back() != '.' &&
           text.find("..") == std::string::npos && std::all_of(text.begin(), text.end(), plain);
}

/// Version, serial, times, key and issuer; nullptr when the library gives up.
Owned<X509> make_certificate(
    EVP_PKEY& key, const X509_NAME& issuer, WallTime from, WallTime until
) {
    Owned<X509> out(X509_new());
    const bool good = out && X509_set_version(out.get(), kVersion3) == 1 && set_serial(*out) &&
                      set_time(X509_getm_notBefore(out.get()), from) &&
                      set_time(X509_getm_notAfter(out.get()), until) &&
                      X509_set_pubkey(out.get(), &key) == 1 &&
                      X509_set_issuer_name(out.get(), &issuer) == 1;
    return good ? std::move(out) : nullptr;
}

bool add_uses(X509& certificate, X509& issuer, Use use) {
    const char* extended = use == Use::tls ? "serverAuth,clientAuth" : "codeSigning";
    return extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           extend(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
           extend(certificate, issuer, NID_ext_key_usage, extended) &&
           extend(certificate, issuer, NID_subject_key_identifier, "hash") &&
           extend(certificate, issuer, NID_authority_key_identifier, "keyid:always");
}

bool add_entry(X509_CRL& list, const Revocation& revocation) {
    Owned<X509_REVOKED> entry(X509_REVOKED_new());
    const auto serial = serial_number(revocation.serial);
    const Owned<ASN1_TIME> at(ASN1_TIME_new());
    if (!entry || !serial || !set_time(at.get(), revocation.at)) return false;
    if (X509_REVOKED_set_serialNumber(entry.get(), serial.get()) != 1 ||
        X509_REVOKED_set_revocationDate(entry.get(), at.get()) != 1) {
        return false;
    }
    // "unspecified" is said by saying nothing (RFC 5280 section 5.3.1).
    if (const long code = code_of(revocation.reason); code != 0) {
        const Owned<ASN1_ENUMERATED> reason(ASN1_ENUMERATED_new());
        if (!reason || ASN1_ENUMERATED_set(reason.get(), code) != 1 ||
            X509_REVOKED_add1_ext_i2d(entry.get(), NID_crl_reason, reason.get(), 0, 0) != 1) {
            return false;
        }
    }
    return X509_CRL_add0_revoked(&list, entry.release()) == 1;
}

bool add_list_extensions(X509_CRL& list, X509& issuer, std::uint64_t number) {
    const Owned<ASN1_INTEGER> value(ASN1_INTEGER_new());
    if (!value || ASN1_INTEGER_set_uint64(value.get(), number) != 1 ||
        X509_CRL_add1_ext_i2d(&list, NID_crl_number, value.get(), 0, 0) != 1) {
        return false;
    }
    X509V3_CTX context;
    X509V3_set_ctx(&context, &issuer, nullptr, nullptr, &list, 0);
    const Owned<X509_EXTENSION> made(
        X509V3_EXT_conf_nid(nullptr, &context, NID_authority_key_identifier, "keyid:always")
    );
    return made && X509_CRL_add_ext(&list, made.get(), -1) == 1;
}

Revocation entry_of(const X509_REVOKED& entry) {
    Revocation out;
    out.serial = serial_text(*X509_REVOKED_get0_serialNumber(&entry));
    out.at = wall_time(*X509_REVOKED_get0_revocationDate(&entry));
    void* found = X509_REVOKED_get_ext_d2i(&entry, NID_crl_reason, nullptr, nullptr);
    const Owned<ASN1_ENUMERATED> reason(static_cast<ASN1_ENUMERATED*>(found));
    out.reason = word_of(reason ? ASN1_ENUMERATED_get(reason.get()) : 0);
    return out;
}

}  // namespace

struct Authority::Native {
    Owned<X509> certificate;
    Owned<EVP_PKEY> key;
};

const std::vector<std::string>& revocation_reasons() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> out;
        for (const auto& reason : kReasons) out.emplace_back(reason.word);
        return out;
    }();
    return words;
}

Result<RevocationList> parse_revocation_list(std::string_view pem) {
    const auto lists = read_revocation_lists(pem);
    if (lists.size() != 1) return Errc::malformed;
    auto* list = lists[0].get();
    RevocationList out;
    void* found = X509_CRL_get_ext_d2i(list, NID_crl_number, nullptr, nullptr);
    const Owned<ASN1_INTEGER> number(static_cast<ASN1_INTEGER*>(found));
    if (number && ASN1_INTEGER_get_uint64(&out.number, number.get()) != 1)
        return give_up(Errc::malformed);
    const STACK_OF(X509_REVOKED)* entries = X509_CRL_get_REVOKED(list);
    for (int i = 0; i < sk_X509_REVOKED_num(entries); ++i)
        out.entries.push_back(entry_of(*sk_X509_REVOKED_value(entries, i)));
    return out;
}

Authority::Authority(std::unique_ptr<Native> native) : native_(std::move(native)) {}
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;
Authority::~Authority() = default;

Result<Authority> Authority::create(const std::string& name, std::chrono::days days, WallTime now) {
    if (name.empty() || name.size() > 64) return Errc::bad_name;  // RFC 5280, ub-organization-name
    auto native = std::make_unique<Native>();
    native->key.reset(EVP_EC_gen("P-256"));
    const Owned<X509_NAME> subject(X509_NAME_new());
    if (!native->key || !subject || !add_organization(subject.get(), name))
        return give_up(Errc::failed);
    native->certificate = make_certificate(*native->key, *subject, now - kClockSlack, now + days);
    auto* own = native->certificate.get();
    const bool good = own && X509_set_subject_name(own, subject.get()) == 1 &&
                      extend(*own, *own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                      extend(*own, *own, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                      extend(*own, *own, NID_subject_key_identifier, "hash") &&
                      X509_sign(own, native->key.get(), EVP_sha256()) > 0;
    if (!good) return give_up(Errc::failed);
    return Authority(std::move(native));
}

Result<Authority> Authority::from_pem(std::string_view certificate, std::string_view key) {
    auto native = std::make_unique<Native>();
    native->certificate = read_certificate(certificate);
    native->key = read_key(key);
    if (!native->certificate || !native->key) return Errc::malformed;
    if (X509_check_private_key(native->certificate.get(), native->key.get()) != 1 ||
        X509_check_ca(native->certificate.get()) != 1) {
        return give_up(Errc::key_mismatch);
    }
    return Authority(std::move(native));
}

std::string Authority::certificate_pem() const {
    return pem_of(*native_->certificate);
}
std::string Authority::key_pem() const {
    return pem_of(*native_->key);
}

Result<Issued> Authority::issue(const Order& order, WallTime now) const {
    if (!is_uri(order.uri) ||
        !std::all_of(order.dns_names.begin(), order.dns_names.end(), is_dns_name)) {
        return Errc::bad_name;
    }
    auto& own = *native_->certificate;
    if (now + order.days > wall_time(*X509_get0_notAfter(&own))) return Errc::beyond_authority;
    const Owned<EVP_PKEY> key(
        order.use == Use::tls ? EVP_EC_gen("P-256") : EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")
    );
    if (!key) return give_up(Errc::failed);
    const auto made =
        make_certificate(*key, *X509_get_subject_name(&own), now - kClockSlack, now + order.days);
    const bool good = made && add_organization(X509_get_subject_name(made.get()), "Twinsite") &&
                      add_uses(*made, own, order.use) && add_names(*made, order) &&
                      X509_sign(made.get(), native_->key.get(), EVP_sha256()) > 0;
    if (!good) return give_up(Errc::failed);
    return Issued{pem_of(*made), pem_of(*key)};
}

Result<std::string> Authority::revocation_list(const RevocationList& list, WallTime now) const {
    auto& own = *native_->certificate;
    const Owned<X509_CRL> out(X509_CRL_new());
    const Owned<ASN1_TIME> from(ASN1_TIME_new());
    if (!out || !set_time(from.get(), now - kListClockSlack)) return give_up(Errc::failed);
    bool good = X509_CRL_set_version(out.get(), kListVersion2) == 1 &&
                X509_CRL_set_issuer_name(out.get(), X509_get_subject_name(&own)) == 1 &&
                X509_CRL_set1_lastUpdate(out.get(), from.get()) == 1 &&
                X509_CRL_set1_nextUpdate(out.get(), X509_get0_notAfter(&own)) == 1 &&
                add_list_extensions(*out, own, list.number);
    for (const auto& entry : list.entries) good = good && add_entry(*out, entry);
    good = good && X509_CRL_sort(out.get()) == 1 &&
           X509_CRL_sign(out.get(), native_->key.get(), EVP_sha256()) > 0;
    if (!good) return give_up(Errc::failed);
    return to_pem([&](BIO* to) { return PEM_write_bio_X509_CRL(to, out.get()); });
}

}  // namespace twinsite::base::crypto
