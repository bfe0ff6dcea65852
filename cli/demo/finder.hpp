// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::cli::demo {

/// Finds where a service is, as a client of several name servers that are all right: asks the one
/// that answered last, and when it is silent the next. Nothing is cached.
class Finder {
public:
    /// `client`: the address to ask from. `name_servers`: the preferred one first, at least one.
    Finder(
        boost::asio::any_io_executor executor,
        base::text::IpAddress client,
        std::vector<base::net::Endpoint> name_servers
    );
    ~Finder();
    Finder(const Finder&) = delete;
    Finder& operator=(const Finder&) = delete;

    /// The first IPv4 address of `name`, with `port`. The error is that of the last server asked.
    boost::asio::awaitable<base::Result<base::net::Endpoint>> find(
        std::string name, std::uint16_t port
    );
    /// Lets a running `find` fail.
    void cancel();

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::cli::demo
