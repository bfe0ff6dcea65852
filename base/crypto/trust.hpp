// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/certificate.hpp"
#include "base/error/result.hpp"
#include "base/file/watch.hpp"

namespace twinsite::base::crypto {

/// How new a revocation list is among those of the same authority.
struct ListAge {
    std::string authority;  ///< Digest of the key that signed it.
    std::string number;     ///< CRL number (RFC 5280 5.2.3): hex digits; "" when it has none.
    WallTime issued{};      ///< thisUpdate.
};
/// Whether one of `fresh` comes before one of `known` of the same authority: taking it would let
/// those in again who were revoked since.
bool goes_back(const std::vector<ListAge>& fresh, const std::vector<ListAge>& known);

/// An authority's certificates and its revocation list: says whether a certificate holds.
class Trust {
public:
    /// `revocations` may be empty: then nothing is revoked. Errors: malformed; not_trusted when the
    /// list is not signed by one of `authorities`.
    static Result<Trust> from_pem(std::string_view authorities, std::string_view revocations);
    Trust(Trust&&) noexcept;
    Trust& operator=(Trust&&) noexcept;
    ~Trust();

    /// The first certificate of `pem` if it is issued by the authority, valid at `now`, not revoked
    /// and meant for `use`. Errors: malformed, not_trusted, expired, revoked, wrong_use.
    Result<Certificate> verify(std::string_view pem, Use use, WallTime now) const;

    /// How new the revocation lists are, one for each.
    const std::vector<ListAge>& lists() const { return lists_; }

private:
    struct Native;
    explicit Trust(std::unique_ptr<Native> native);
    std::unique_ptr<Native> native_;
    std::vector<ListAge> lists_;
};

/// Trust from files, read again when they change. What cannot be used, and a revocation list older
/// than the one in force, is logged (trust_refused) and tried again now and then; the trust in
/// force stays. One thread.
class TrustFiles {
public:
    /// `revocations` may be empty. Errors: those of the files now.
    static Result<TrustFiles> open(const std::string& authorities, const std::string& revocations);

    /// Looks at the files when the last look is at least 500 ms ago.
    const Trust& current(
        file::Watch::Time now = std::chrono::steady_clock::now(),
        file::Watch::WallTime wall = std::chrono::system_clock::now()
    );

private:
    TrustFiles(std::string authorities, std::string revocations, Trust trust);
    static Result<Trust> load(const std::string& authorities, const std::string& revocations);

    std::string authorities_;
    std::string revocations_;
    file::Watch watch_;
    Trust trust_;
};

}  // namespace twinsite::base::crypto
