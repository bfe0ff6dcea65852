// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/crypto/authority.hpp"
#include "base/crypto/certificate.hpp"
#include "base/daemon/daemon.hpp"
#include "base/file/descriptor.hpp"

/// A folder that is a certificate authority: ca.crt, ca.key, crl.pem, and issued/SERIAL.crt, a copy
/// of every certificate it ever gave out.
namespace twinsite::cli::pki {

using base::crypto::WallTime;
using base::daemon::ExitCode;

struct Failure {
    ExitCode exit = ExitCode::exit_failed;
    std::string text;  ///< For people, one line without '\n'.
};

/// A value, or why there is none.
template <class T>
class Outcome {
public:
    Outcome(T value) : value_(std::move(value)) {}
    Outcome(Failure failure) : failure_(std::move(failure)) {}

    explicit operator bool() const { return value_.has_value(); }
    T& operator*() { return *value_; }
    T* operator->() { return &*value_; }
    const Failure& failure() const { return failure_; }

private:
    std::optional<T> value_;
    Failure failure_;
};

/// A certificate that was just written.
struct Written {
    base::crypto::Certificate certificate;
    std::string certificate_file;
    std::string key_file;
};

/// A certificate of issued/.
struct Entry {
    base::crypto::Certificate certificate;
    std::optional<base::crypto::Revocation> revoked;
};

class Folder {
public:
    /// Makes the authority. Refused when there is one already.
    static Outcome<Folder> create(
        const std::string& path, const std::string& name, std::chrono::days days, WallTime now
    );
    /// Held for one process at a time.
    static Outcome<Folder> open(const std::string& path);

    const base::crypto::Certificate& authority() const { return own_; }
    const std::string& path() const { return path_; }

    /// Writes STEM.crt and STEM.key (0600) into `into`. Refused when STEM.crt there belongs to
    /// another identity. An older certificate of the same identity stays valid.
    Outcome<Written> issue(
        const base::crypto::Order& order,
        const std::string& into,
        const std::string& stem,
        WallTime now
    );
    /// A new key and certificate in the place of `certificate_file`, with the same names and,
    /// unless `days` is given, the same lifetime.
    Outcome<Written> renew(
        const std::string& certificate_file, std::optional<std::chrono::days> days, WallTime now
    );
    /// By serial, whole URI, or the name at its end. All certificates of the identity that have not
    /// ended, or the one with the serial. Rewrites crl.pem.
    Outcome<std::vector<Entry>> revoke(
        const std::string& which, const std::string& reason, WallTime now
    );
    /// Everything issued, by identity, the newest first.
    Outcome<std::vector<Entry>> list() const;

private:
    Folder(std::string path, base::crypto::Authority authority, base::file::Descriptor lock);

    Outcome<base::crypto::RevocationList> revocations() const;
    std::optional<Failure> write_revocations(const base::crypto::RevocationList& list, WallTime now)
        const;
    Outcome<Written> write(
        const base::crypto::Issued& issued, const std::string& into, const std::string& stem
    ) const;

    std::string path_;
    base::crypto::Authority authority_;
    base::crypto::Certificate own_;
    base::file::Descriptor lock_;
};

}  // namespace twinsite::cli::pki
