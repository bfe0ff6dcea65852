// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when GET `path` over plain HTTP/1.1 is answered with one of the statuses, and, if
/// `expect_body` is set, that text stands in the first kBodyBytes of the body.
class HttpProbe final : public Probe {
public:
    static constexpr std::size_t kBodyBytes = 5120;
    struct Settings {
        base::net::Endpoint target;
        std::optional<base::text::IpAddress> source;  ///< Address to connect from.
        std::string path = "/";
        std::string host;  ///< Host header; empty: from the target.
        std::vector<unsigned> expect_status{200};
        std::string expect_body;
    };
    explicit HttpProbe(Settings settings) : settings_(std::move(settings)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Settings settings_;
};

}  // namespace twinsite::probe
