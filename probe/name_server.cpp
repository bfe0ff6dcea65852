// SPDX-License-Identifier: Apache-2.0
#include "probe/name_server.hpp"

#include <random>

#include "base/async/deadline.hpp"
#include "probe/datagram.hpp"
#include "probe/measure.hpp"
#include "probe/name_server_reply.hpp"

namespace twinsite::probe {

boost::asio::awaitable<Outcome> NameServerProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    const auto id = static_cast<std::uint16_t>(std::random_device()());
    const auto query = make_dns_query(ask_, id);
    if (!query) co_return watch.bad(words_for(query.error()));
    std::optional<DnsReplyVerdict> verdict;
    const auto take = [&](std::span<const std::uint8_t> reply) {
        verdict = judge_dns_reply(reply, *query, ask_);
        return verdict.has_value();
    };
    auto exchange = exchange_datagrams(place_, *query, take);
    const auto done = co_await base::async::with_deadline(std::move(exchange), limit);
    if (!done) co_return watch.failed(done.error());
    auto out = verdict->fault.empty() ? watch.good() : watch.bad(verdict->fault);
    out.note = verdict->note;
    co_return out;
}

}  // namespace twinsite::probe
