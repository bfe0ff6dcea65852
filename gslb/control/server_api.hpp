// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/error/result.hpp"
#include "base/http/message.hpp"
#include "gslb/server/query_ring.hpp"
#include "wire/dns/cookie.hpp"

/// What the control API tells of the DNS server itself: its last queries, and its cookie secrets.
namespace twinsite::gslb::control {

class Helm;

/// Called on the helm's thread. Unset: the program has no such part (tests).
struct ServerSeams {
    std::function<std::vector<server::QueryRecord>(std::size_t)> last_queries;
    std::function<wire::dns::CookieSecrets()> cookies;
    /// Keeps them on disk, then uses them. Failed: nothing has changed.
    std::function<base::Result<void>(const wire::dns::CookieSecrets&)> set_cookies;
    /// 32 hex digits of good randomness.
    std::function<wire::dns::CookieSecret()> fresh_secret;
    /// Starts a new process that is to take over from this one: its number.
    std::function<base::Result<int>()> replace;
};

/// GET queries?last=N
base::http::Response list_queries(
    const Helm& helm, const ServerSeams& seams, const base::http::Request& request
);
/// GET cookies: fingerprints only.
base::http::Response show_cookies(const ServerSeams& seams);
/// PUT cookies/other {"secret": HEX}, or {} for a fresh one, which the answer then tells once.
base::http::Response stage_cookie_secret(
    const ServerSeams& seams, const base::http::Request& request
);
/// POST cookies/promote: the two secrets change places.
base::http::Response promote_cookie_secret(const ServerSeams& seams);
/// POST replace: 202 and the number of the new process.
base::http::Response start_replacement(const ServerSeams& seams);
/// DELETE cookies/other
base::http::Response retire_cookie_secret(const ServerSeams& seams);

}  // namespace twinsite::gslb::control
