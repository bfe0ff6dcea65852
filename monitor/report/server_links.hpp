// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/async/task_group.hpp"
#include "base/net/endpoint.hpp"
#include "monitor/report/command_poll.hpp"
#include "monitor/report/outbox.hpp"
#include "monitor/report/uplink.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor::report {

/// PEM files of this machine.
struct TlsFiles {
    std::string certificate;
    std::string key;
    std::string ca;
    std::string crl;  ///< May be empty.
};

/// Who we are and whom we report to.
struct LinkConfig {
    wire::contract::Identity self;
    std::vector<base::net::Endpoint> servers;    ///< 1..16
    std::optional<base::text::IpAddress> bind;   ///< Source address.
    std::chrono::milliseconds interval{10'000};  ///< 200ms..10m
    TlsFiles tls;
};

/// Uplink and command poll of every configured server. One thread.
class ServerLinks {
public:
    /// Commands that a server wants carried out.
    using OnCommands =
        std::function<void(std::size_t server, const std::vector<wire::contract::Command>&)>;

    /// `path` is that of reports or batches. `outbox` outlives this.
    ServerLinks(
        const boost::asio::any_io_executor& executor,
        const LinkConfig& config,
        std::string path,
        Outbox& outbox,
        Uplink::Dress dress,
        OnCommands on_commands
    );

    void start();
    /// Asks what runs to end. To be destroyed after it has ended, or after the loop.
    void stop() { tasks_.cancel(); }
    /// The outbox has a new live entry.
    void wake();
    void send_result(std::size_t server, const wire::contract::CommandResult& result);
    std::size_t size() const { return links_.size(); }
    const UplinkState& state(std::size_t server) const { return links_.at(server)->uplink.state(); }
    bool polled(std::size_t server) const { return links_.at(server)->poll.up(); }

private:
    struct Link {
        Uplink uplink;
        CommandPoll poll;
        std::set<std::string> last;  ///< Agents and operations of the last poll.
    };
    bool take(
        std::size_t server,
        const std::vector<wire::contract::Command>& commands,
        const OnCommands& on_commands
    );

    std::vector<std::unique_ptr<Link>> links_;
    base::async::TaskGroup tasks_;
};

/// Names of the servers for an outbox: their addresses.
std::vector<std::string> names_of(const std::vector<base::net::Endpoint>& servers);

}  // namespace twinsite::monitor::report
