// SPDX-License-Identifier: Apache-2.0
#include "probe/dns.hpp"

#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/net/resolver.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
using Addresses = std::vector<base::text::IpAddress>;

namespace {

base::net::Resolver::Config ask_only(
    const DnsProbe::Settings& settings, std::chrono::milliseconds limit
) {
    base::net::Resolver::Config out;
    out.servers = {settings.server};
    out.bind = settings.source;
    out.timeout = limit;
    return out;
}

}  // namespace

asio::awaitable<Outcome> DnsProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    const auto executor = co_await asio::this_coro::executor;
    base::net::Resolver resolver(executor, ask_only(settings_, limit));
    auto lookup = resolver.find_v4(settings_.question);
    const auto found = co_await base::async::with_deadline(std::move(lookup), limit);
    if (!found) co_return watch.failed(found.error());
    if (found->empty()) co_return watch.bad("no address");
    auto out = watch.good();
    for (const auto& address : *found)
        out.note += (out.note.empty() ? "" : " ") + base::text::to_string(address);
    co_return out;
}

}  // namespace twinsite::probe
