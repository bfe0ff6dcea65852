// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/net/endpoint.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when a TCP connection can be opened. A process that is stopped, or a listener that has
/// nothing behind it, still passes: the kernel answers for them. Prefer a check that asks the
/// service itself.
class TcpProbe final : public Probe {
public:
    struct Settings {
        base::net::Endpoint target;
        std::optional<base::text::IpAddress> source;  ///< Address to connect from.
    };
    explicit TcpProbe(Settings settings) : settings_(std::move(settings)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Settings settings_;
};

}  // namespace twinsite::probe
