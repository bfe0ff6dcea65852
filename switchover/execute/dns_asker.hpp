// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/net/endpoint.hpp"
#include "switchover/execute/dns_question.hpp"

namespace twinsite::switchover::execute {

/// Asks a name server by UDP, once more after half of `limit`. timed_out when no right answer came.
boost::asio::awaitable<base::Result<DnsAnswer>> ask_dns(
    base::net::Endpoint server,
    std::string name,
    std::optional<base::text::IpPrefix> client,
    std::chrono::milliseconds limit
);

}  // namespace twinsite::switchover::execute
