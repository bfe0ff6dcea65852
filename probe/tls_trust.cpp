// SPDX-License-Identifier: Apache-2.0
#include "probe/tls_trust.hpp"

#include <utility>

#include "base/http/tls_files.hpp"

namespace twinsite::probe {

namespace crypto = base::crypto;
namespace http = base::http;

TlsTrust::~TlsTrust() = default;
TlsTrust::TlsTrust(TlsTrust&&) noexcept = default;

base::Result<std::shared_ptr<const http::TlsContext>> TlsTrust::context() {
    if (files_) {
        files_->refresh();
        return files_->context();
    }
    http::TlsClient rules;
    rules.ca = ask_.ca;
    rules.verify = ask_.verify;
    auto files = http::TlsFiles::for_client(rules);
    if (!files) return files.error();
    files_ = std::move(*files);
    return files_->context();
}

http::TlsClient TlsTrust::client(const base::text::IpAddress& address) {
    http::TlsClient out;
    out.ca = ask_.ca;
    out.verify = ask_.verify;
    out.server_name = ask_.server_name.empty() ? base::text::to_string(address) : ask_.server_name;
    out.on_certificate = [this](const crypto::Certificate& shown) { shown_ = shown; };
    return out;
}

std::string TlsTrust::fault_at(crypto::WallTime now) const {
    if (!shown_) return "no certificate was shown";
    return validity_fault(*shown_, now, ask_.minimum_days);
}

std::string validity_fault(
    const crypto::Certificate& certificate, crypto::WallTime now, std::uint32_t minimum_days
) {
    if (now < certificate.not_before) return "the certificate is not valid yet";
    const auto left = crypto::days_left(certificate, now);
    if (left < 0) return "the certificate has expired";
    if (left >= minimum_days) return {};
    return "the certificate ends in " + std::to_string(left) + " days, less than " +
           std::to_string(minimum_days);
}

}  // namespace twinsite::probe
