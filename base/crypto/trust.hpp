// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/crypto/certificate.hpp"
#include "base/error/result.hpp"
#include "base/file/watch.hpp"

namespace twinsite::base::crypto {

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

private:
    struct Native;
    explicit Trust(std::unique_ptr<Native> native);
    std::unique_ptr<Native> native_;
};

/// Trust from files, read again when they change. What cannot be used is logged (trust_refused) and
/// the trust in force stays. One thread.
class TrustFiles {
public:
    /// `revocations` may be empty. Errors: those of the files now.
    static Result<TrustFiles> open(const std::string& authorities, const std::string& revocations);

    /// Looks at the files when the last look is at least 500 ms ago.
    const Trust& current();

private:
    TrustFiles(std::string authorities, std::string revocations, Trust trust);
    static Result<Trust> load(const std::string& authorities, const std::string& revocations);

    std::string authorities_;
    std::string revocations_;
    file::Watch watch_;
    Trust trust_;
};

}  // namespace twinsite::base::crypto
