// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "switchover/api/backend.hpp"
#include "switchover/fleet/fleet.hpp"

namespace twinsite::switchover::api {

/// The logins of the console, by the digest of their token. A login ends 12 hours after it began,
/// or after 30 minutes without a request. Kept in the store too, so that a restart of the server
/// ends none; when the store cannot take one it lives until the restart. One thread.
class Sessions {
public:
    struct Session {
        std::string user;
        std::string csrf;
        fleet::Time ends{};
        fleet::Time used{};
        std::int64_t began_wall_ms = 0;
    };
    struct Opened {
        std::string token;  ///< For the cookie; not kept.
        std::string csrf;
    };

    static constexpr std::chrono::hours kLongest{12};
    static constexpr std::chrono::minutes kIdle{30};

    explicit Sessions(Backend& backend) : backend_(backend) {}

    /// Reads those of the store; once, at the start.
    void load(const fleet::Moment& moment);
    /// The oldest of a user who has ten goes.
    Opened open(const std::string& user, const fleet::Moment& moment);
    /// nullptr when there is none of this digest any more. Counts as use of it.
    const Session* use(const std::string& digest, fleet::Time now);
    /// The same without counting as use: an open page that nobody looks at ends.
    const Session* find(const std::string& digest, fleet::Time now) const;
    void close(const std::string& digest);
    /// All of this user but one.
    void close_others(const std::string& user, const std::string& digest);
    /// Every second or so.
    void drop_ended(fleet::Time now);
    std::size_t size() const { return sessions_.size(); }

    static std::string digest_of(std::string_view token);

private:
    static bool ended(const Session& session, fleet::Time now);
    void make_room(const std::string& user);

    Backend& backend_;
    std::map<std::string, Session> sessions_;  // by digest
};

/// The value of the cookie `name` in a Cookie header (RFC 6265 section 4.2); empty: none.
std::string_view find_cookie(std::string_view header, std::string_view name);

}  // namespace twinsite::switchover::api
