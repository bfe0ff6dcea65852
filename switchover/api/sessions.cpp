// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/sessions.hpp"

#include <algorithm>
#include <vector>

#include "base/crypto/digest.hpp"
#include "base/crypto/secret.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::switchover::api {
namespace {

constexpr std::size_t kSessionsPerUser = 10;

void note_failure(const base::Error& failure) {
    base::log::event(base::log::Level::warning, "session_not_kept", {{"error", failure.message()}});
}

}  // namespace

std::string Sessions::digest_of(std::string_view token) {
    return base::crypto::sha256_hex(token);
}

bool Sessions::ended(const Session& session, fleet::Time now) {
    return now >= session.ends || now - session.used >= kIdle;
}

void Sessions::load(const fleet::Moment& moment) {
    const auto kept = backend_.sessions();
    if (!kept) return note_failure(kept.error());
    for (const auto& session : *kept) {
        // A clock that was set back must not lengthen a login.
        const auto left = std::min<std::int64_t>(
            session.expires_wall_ms - moment.wall_ms, std::chrono::milliseconds(kLongest).count()
        );
        if (left <= 0) {
            if (const auto gone = backend_.remove_session(session.token_digest); !gone)
                note_failure(gone.error());
            continue;
        }
        sessions_[session.token_digest] = {
            session.user,
            session.csrf,
            moment.now + std::chrono::milliseconds(left),
            moment.now,
            session.created_wall_ms,
        };
    }
}

void Sessions::make_room(const std::string& user) {
    std::vector<std::pair<std::int64_t, std::string>> own;
    for (const auto& [digest, session] : sessions_)
        if (session.user == user) own.emplace_back(session.began_wall_ms, digest);
    std::sort(own.begin(), own.end());
    for (std::size_t i = 0; i + kSessionsPerUser <= own.size(); ++i) close(own[i].second);
}

Sessions::Opened Sessions::open(const std::string& user, const fleet::Moment& moment) {
    make_room(user);
    Opened out{base::crypto::random_token(), base::crypto::random_token()};
    const auto digest = digest_of(out.token);
    sessions_[digest] = {user, out.csrf, moment.now + kLongest, moment.now, moment.wall_ms};
    store::Session kept;
    kept.token_digest = digest;
    kept.user = user;
    kept.csrf = out.csrf;
    kept.created_wall_ms = moment.wall_ms;
    kept.expires_wall_ms = moment.wall_ms + std::chrono::milliseconds(kLongest).count();
    if (const auto saved = backend_.save_session(kept); !saved) note_failure(saved.error());
    return out;
}

const Sessions::Session* Sessions::use(const std::string& digest, fleet::Time now) {
    const auto at = sessions_.find(digest);
    if (at == sessions_.end()) return nullptr;
    if (ended(at->second, now)) {
        close(digest);
        return nullptr;
    }
    at->second.used = now;
    return &at->second;
}

const Sessions::Session* Sessions::find(const std::string& digest, fleet::Time now) const {
    const auto at = sessions_.find(digest);
    return at == sessions_.end() || ended(at->second, now) ? nullptr : &at->second;
}

void Sessions::close(const std::string& digest) {
    if (sessions_.erase(digest) == 0) return;
    if (const auto gone = backend_.remove_session(digest); !gone) note_failure(gone.error());
}

void Sessions::close_others(const std::string& user, const std::string& digest) {
    std::vector<std::string> others;
    for (const auto& [other, session] : sessions_)
        if (session.user == user && other != digest) others.push_back(other);
    for (const auto& other : others) close(other);
}

void Sessions::drop_ended(fleet::Time now) {
    std::vector<std::string> over;
    for (const auto& [digest, session] : sessions_)
        if (ended(session, now)) over.push_back(digest);
    for (const auto& digest : over) close(digest);
}

std::string_view find_cookie(std::string_view header, std::string_view name) {
    for (const auto part : base::text::split(header, ';')) {
        const auto pair = base::text::trim(part);
        if (pair.size() > name.size() && pair.substr(0, name.size()) == name &&
            pair[name.size()] == '=')
            return pair.substr(name.size() + 1);
    }
    return {};
}

}  // namespace twinsite::switchover::api
