// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "base/http/router.hpp"
#include "gslb/config.hpp"

namespace boost::asio {
class io_context;
}
namespace twinsite::base::http {
class Server;
}

namespace twinsite::gslb {

/// The read-only HTTP or HTTPS listener, which a reload may move, change or take away. On the
/// thread of `io`.
class StatusListener {
public:
    /// `routes` outlives this.
    StatusListener(boost::asio::io_context& io, const base::http::Router& routes);
    ~StatusListener();
    StatusListener(const StatusListener&) = delete;
    StatusListener& operator=(const StatusListener&) = delete;

    /// Listens as `config` says; without one not at all. Certificates are read again each time.
    /// On failure returns what is wrong, and all is as before.
    [[nodiscard]] std::optional<std::string> apply(const std::optional<StatusConfig>& config);
    /// Accepts nothing more.
    void stop();

private:
    base::Result<std::unique_ptr<base::http::Server>> listen(const StatusConfig& config);

    boost::asio::io_context& io_;
    const base::http::Router& routes_;
    std::optional<StatusConfig> config_;
    std::unique_ptr<base::http::Server> server_;
};

}  // namespace twinsite::gslb
