// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/crypto/certificate.hpp"
#include "base/http/client.hpp"
#include "probe/ask.hpp"

namespace twinsite::base::http {
class TlsContext;
class TlsFiles;
}  // namespace twinsite::base::http

namespace twinsite::probe {

/// How the TLS side of a probe trusts, kept over its runs: authorities are read once and again
/// when their file changes. One thread.
class TlsTrust {
public:
    explicit TlsTrust(TlsAsk ask) : ask_(std::move(ask)) {}
    ~TlsTrust();
    TlsTrust(TlsTrust&&) noexcept;
    TlsTrust& operator=(TlsTrust&&) = delete;

    /// Errors: those of the authorities' file.
    base::Result<std::shared_ptr<const base::http::TlsContext>> context();
    /// What a client that talks to `address` demands. Keeps the certificate it is shown here.
    base::http::TlsClient client(const base::text::IpAddress& address);
    /// Why the certificate shown last is no good at `now`; "" when it is.
    std::string fault_at(base::crypto::WallTime now) const;
    void forget() { shown_.reset(); }

private:
    const TlsAsk ask_;
    std::shared_ptr<base::http::TlsFiles> files_;
    std::optional<base::crypto::Certificate> shown_;
};

/// Why `certificate` does not hold at `now` for `minimum_days` more; "" when it does.
std::string validity_fault(
    const base::crypto::Certificate& certificate,
    base::crypto::WallTime now,
    std::uint32_t minimum_days
);

}  // namespace twinsite::probe
