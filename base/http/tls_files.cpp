// SPDX-License-Identifier: Apache-2.0
#include "base/http/tls_files.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "base/crypto/certificate.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::http {

using Clock = std::chrono::steady_clock;

namespace {

/// Many connections of a process share one certificate: who warns of it is decided here.
class Warnings {
public:
    bool due(const std::string& file, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        auto& next = next_[file];
        if (now < next) return false;
        next = now + std::chrono::hours(24);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> next_;
};

Warnings& warnings() {
    static Warnings all;
    return all;
}

}  // namespace

TlsFiles::TlsFiles(std::vector<std::string> files, std::string certificate, Load load)
    : certificate_(std::move(certificate)), load_(std::move(load)), watch_(std::move(files)) {}

Result<std::shared_ptr<TlsFiles>> TlsFiles::for_server(const TlsServer& settings) {
    std::shared_ptr<TlsFiles> out(new TlsFiles(
        {settings.certificate, settings.key, settings.client_ca, settings.crl},
        settings.certificate,
        [settings] { return TlsContext::for_server(settings); }
    ));
    if (auto loaded = out->load(); !loaded) return loaded.error();
    return out;
}

Result<std::shared_ptr<TlsFiles>> TlsFiles::for_client(const TlsClient& settings) {
    std::shared_ptr<TlsFiles> out(new TlsFiles(
        {settings.certificate, settings.key, settings.ca, settings.crl},
        settings.certificate,
        [settings] { return TlsContext::for_client(settings); }
    ));
    if (auto loaded = out->load(); !loaded) return loaded.error();
    return out;
}

Result<void> TlsFiles::load() {
    auto fresh = load_();
    if (!fresh) return fresh.error();
    context_ = std::move(*fresh);
    warn_of_end();
    return {};
}

bool TlsFiles::refresh() {
    if (!watch_.changed(Clock::now())) {
        warn_of_end();
        return false;
    }
    const auto loaded = load();
    if (loaded) {
        log::event(log::Level::info, "tls_files_taken", {{"certificate", certificate_}});
        return true;
    }
    log::event(
        log::Level::error,
        "tls_files_refused",
        {{"certificate", certificate_}, {"error", loaded.error().message()}}
    );
    return false;
}

void TlsFiles::warn_of_end() const {
    const auto& own = context_->own_certificate();
    if (!own) return;
    const auto days = crypto::days_left(*own, crypto::wall_now());
    if (days >= crypto::kWarnDays || !warnings().due(certificate_, Clock::now())) return;
    log::event(
        days < 0 ? log::Level::error : log::Level::warning,
        "certificate_expires",
        {{"file", certificate_}, {"identity", own->uri}, {"days_left", days}}
    );
}

}  // namespace twinsite::base::http
