// SPDX-License-Identifier: Apache-2.0
// The program and the DNS server's own state: secrets of cookies, the log of queries.
#include <random>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/control/cookie_file.hpp"
#include "gslb/running.hpp"

namespace twinsite::gslb {
namespace {

namespace log = base::log;
using base::daemon::StartError;
using log::Level;

constexpr const char* kCookieSecrets = "cookie-secrets";

}  // namespace

void Running::restore_cookie_secrets() {
    const auto path = state_path(kCookieSecrets);
    auto text = base::file::read_state_file(path);
    if (!text) throw StartError(path + ": " + text.error().message());
    if (!*text) {
        // The same after a restart, or every client would have to learn a new cookie.
        if (auto kept = keep_cookie_secrets(listeners_->cookie_secrets()); !kept)
            throw StartError(path + ": " + kept.error().message());
        return;
    }
    const auto secrets = control::decode_cookie_secrets(**text);
    if (!secrets)
        throw StartError(
            path + ": must be one or two lines of 32 hex digits; mend it or take it away"
        );
    listeners_->set_cookie_secrets(*secrets);
}

base::Result<void> Running::keep_cookie_secrets(const wire::dns::CookieSecrets& secrets) const {
    constexpr unsigned kOwnerOnly = 0600;
    return base::file::write_state_file(
        state_path(kCookieSecrets),
        control::encode_cookie_secrets(secrets),
        base::file::Durability::synced,
        kOwnerOnly
    );
}

control::ServerSeams Running::make_server_seams() {
    control::ServerSeams out;
    out.last_queries = [this](std::size_t count) { return listeners_->last_queries(count); };
    out.cookies = [this] { return listeners_->cookie_secrets(); };
    out.set_cookies = [this](const wire::dns::CookieSecrets& next) -> base::Result<void> {
        if (auto kept = keep_cookie_secrets(next); !kept) return kept;
        listeners_->set_cookie_secrets(next);
        log::event(Level::info, "cookie_secrets_changed", {{"staged", next.other.has_value()}});
        if (group_) group_->secrets_changed();
        return {};
    };
    out.replace = start_successor;
    out.fresh_secret = [] {
        std::random_device device;
        wire::dns::CookieSecret secret{};
        for (auto& byte : secret) byte = static_cast<std::uint8_t>(device());
        return secret;
    };
    return out;
}

}  // namespace twinsite::gslb
