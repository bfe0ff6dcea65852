// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/server_links.hpp"

#include <random>
#include <utility>

namespace twinsite::monitor::report {
namespace {

namespace asio = boost::asio;
namespace contract = wire::contract;
namespace http = base::http;

/// Servers are switchovers, and for an agent also the monitors of its site.
bool is_server_of(const contract::Identity& self, std::string_view uri) {
    const auto server = contract::parse_identity(uri);
    if (!server) return false;
    if (server->role == "switchover") return true;
    return server->role == "monitor" && self.role == "agent" && server->site == self.site;
}

http::Target target_of(const LinkConfig& config, const base::net::Endpoint& server) {
    auto out = http::Target::at_tcp(server);
    if (config.bind) out.bind = base::net::Endpoint{*config.bind, 0};
    http::TlsClient tls;
    tls.ca = config.tls.ca;
    tls.server_name = base::text::to_string(server.address);
    tls.certificate = config.tls.certificate;
    tls.key = config.tls.key;
    tls.crl = config.tls.crl;
    tls.accept_identity = [self = config.self](std::string_view uri) {
        return is_server_of(self, uri);
    };
    out.tls = std::move(tls);
    return out;
}

base::async::Backoff::Random make_random() {
    std::random_device device;
    const auto seed = std::uint64_t{device()} << 32 | device();
    return [engine = std::mt19937_64(seed)]() mutable { return engine(); };
}

}  // namespace

std::vector<std::string> names_of(const std::vector<base::net::Endpoint>& servers) {
    std::vector<std::string> out;
    for (const auto& server : servers) out.push_back(to_string(server));
    return out;
}

ServerLinks::ServerLinks(
    const asio::any_io_executor& executor,
    const LinkConfig& config,
    std::string path,
    Outbox& outbox,
    Uplink::Dress dress,
    OnCommands on_commands
)
    : tasks_(executor) {
    for (std::size_t server = 0; server < config.servers.size(); ++server) {
        Uplink::Settings settings;
        settings.server = server;
        settings.target = target_of(config, config.servers[server]);
        settings.path = path;
        settings.interval = config.interval;
        const auto target = settings.target;
        auto on_poll = [this, server, on_commands](std::vector<contract::Command> commands) {
            return take(server, commands, on_commands);
        };
        links_.push_back(std::unique_ptr<Link>(new Link{
            {executor, std::move(settings), outbox, dress, make_random()},
            {executor, target, outbox.clocks(), std::move(on_poll), make_random()},
            {}
        }));
    }
}

void ServerLinks::start() {
    for (const auto& link : links_) {
        tasks_.start(link->uplink.run());
        tasks_.start(link->poll.run());
    }
}

void ServerLinks::wake() {
    for (const auto& link : links_) link->uplink.wake();
}

void ServerLinks::send_result(std::size_t server, const contract::CommandResult& result) {
    links_.at(server)->uplink.send_result(result);
}

bool ServerLinks::take(
    std::size_t server,
    const std::vector<contract::Command>& commands,
    const OnCommands& on_commands
) {
    auto& last = links_[server]->last;
    std::set<std::string> now;
    bool news = false;
    for (const auto& command : commands) {
        auto key = command.agent + " " + command.op_id;
        news = news || !last.contains(key);
        now.insert(std::move(key));
    }
    last = std::move(now);
    on_commands(server, commands);
    return news;
}

}  // namespace twinsite::monitor::report
