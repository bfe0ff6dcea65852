// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/finder.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "base/net/resolver.hpp"

namespace twinsite::cli::demo {

using base::net::Endpoint;
using base::net::Resolver;

/// One resolver for each server: c-ares 1.18 does not remember which server was silent, so the
/// order is kept here.
class Finder::State {
public:
    std::vector<std::unique_ptr<Resolver>> resolvers;
    std::size_t preferred = 0;
    bool cancelled = false;
};

Finder::Finder(
    boost::asio::any_io_executor executor,
    base::text::IpAddress client,
    std::vector<Endpoint> name_servers
)
    : state_(std::make_unique<State>()) {
    for (const auto& server : name_servers) {
        Resolver::Config config;
        config.servers = {server};
        config.bind = client;
        state_->resolvers.push_back(std::make_unique<Resolver>(executor, config));
    }
}

Finder::~Finder() = default;

boost::asio::awaitable<base::Result<Endpoint>> Finder::find(std::string name, std::uint16_t port) {
    base::Error last = boost::asio::error::host_not_found;
    const auto count = state_->resolvers.size();
    for (std::size_t tries = 0; tries < count && !state_->cancelled; ++tries) {
        const auto index = (state_->preferred + tries) % count;
        auto& resolver = *state_->resolvers[index];
        const auto found = co_await resolver.find_v4(name);
        if (found) {
            state_->preferred = index;
            const Endpoint at = {found->front(), port};
            co_return at;
        }
        last = found.error();
    }
    co_return last;
}

void Finder::cancel() {
    state_->cancelled = true;
    for (auto& resolver : state_->resolvers) resolver->cancel();
}

}  // namespace twinsite::cli::demo
