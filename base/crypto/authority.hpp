// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/certificate.hpp"
#include "base/error/result.hpp"

namespace twinsite::base::crypto {

/// A certificate to issue. No common name: who it is stands in the URI SAN.
struct Order {
    std::string uri;
    std::vector<std::string> dns_names;
    std::vector<text::IpAddress> addresses;
    std::chrono::days days{365};
    Use use = Use::tls;
};

/// PEM texts.
struct Issued {
    std::string certificate;
    std::string key;
};

struct Revocation {
    std::string serial;
    WallTime at{};
    std::string reason;  ///< One of `revocation_reasons`.
};

/// A revocation list as a value.
struct RevocationList {
    std::uint64_t number = 0;  ///< Grows with each list.
    std::vector<Revocation> entries;
};

/// Words of RFC 5280 section 5.3.1 that `revoke` takes: "unspecified", "keyCompromise", ...
const std::vector<std::string>& revocation_reasons();
/// Errors: malformed. Proves nothing about who signed it.
Result<RevocationList> parse_revocation_list(std::string_view pem);

/// A certificate authority: ECDSA P-256, issues end certificates only.
class Authority {
public:
    static Result<Authority> create(const std::string& name, std::chrono::days days, WallTime now);
    /// Errors: malformed, key_mismatch.
    static Result<Authority> from_pem(std::string_view certificate, std::string_view key);
    Authority(Authority&&) noexcept;
    Authority& operator=(Authority&&) noexcept;
    ~Authority();

    std::string certificate_pem() const;
    std::string key_pem() const;
    /// A new key and its certificate, valid from an hour before `now` (clocks differ).
    /// Errors: bad_name, beyond_authority.
    Result<Issued> issue(const Order& order, WallTime now) const;
    /// The signed list as PEM. It stays valid as long as the authority itself: how fresh it is is
    /// up to who carries it to the machines, and an old list must not stop everything.
    Result<std::string> revocation_list(const RevocationList& list, WallTime now) const;

private:
    struct Native;
    explicit Authority(std::unique_ptr<Native> native);
    std::unique_ptr<Native> native_;
};

}  // namespace twinsite::base::crypto
