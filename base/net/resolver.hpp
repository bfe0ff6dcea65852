// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::base::net {

/// Asks DNS servers that were named, from an address that was named; the machine's own resolver
/// settings and its hosts file play no part. Nothing is cached. On the thread of one executor.
class Resolver {
public:
    struct Config {
        std::vector<Endpoint> servers;           ///< At least one; asked in this order.
        std::optional<text::IpAddress> bind;     ///< Source address of the queries.
        std::chrono::milliseconds timeout{300};  ///< Of one server; doubles with each round.
        int rounds = 1;                          ///< Through all servers; at least 1.
    };

    Resolver(boost::asio::any_io_executor executor, const Config& config);
    /// Running lookups end with operation_aborted.
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    /// The IPv4 addresses of `name` in the order of the answer. Errors: host_not_found (NXDOMAIN),
    /// no_data, timed_out, connection_refused, operation_aborted (cancelled), or
    /// host_not_found_try_again for every other trouble with the servers.
    boost::asio::awaitable<Result<std::vector<text::IpAddress>>> find_v4(std::string name);
    /// Ends every running lookup with operation_aborted.
    void cancel();

private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace twinsite::base::net
