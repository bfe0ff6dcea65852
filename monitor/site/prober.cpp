// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/prober.hpp"

#include <utility>

#include "base/async/deadline.hpp"
#include "base/log/log.hpp"

namespace twinsite::monitor::site {

namespace asio = boost::asio;
namespace log = base::log;
using std::chrono::milliseconds;
using wire::contract::ProbeResult;

Prober::Prober(
    const asio::any_io_executor& executor,
    const std::vector<ProbeConfig>& probes,
    const std::string& node,
    report::Clocks clocks,
    std::function<void()> on_change
)
    : clocks_(std::move(clocks)), on_change_(std::move(on_change)), tasks_(executor) {
    for (const auto& config : probes)
        watches_.push_back(std::unique_ptr<Watch>(new Watch{
            config,
            make_probe(config, node),
            report::Schedule(node + "/" + config.name, config.interval),
            {},
            {}
        }));
}

void Prober::start() {
    for (const auto& watch : watches_) tasks_.start(run(*watch));
}

asio::awaitable<void> Prober::run(Watch& watch) {
    for (;;) {
        const auto begun = clocks_.monotonic();
        auto outcome = co_await watch.probe->run(watch.config.timeout);
        take(watch, std::move(outcome), begun);
        const auto now = clocks_.monotonic();
        co_await base::async::sleep_for(watch.schedule.next(now) - now);
    }
}

void Prober::take(Watch& watch, probe::Outcome outcome, milliseconds begun) {
    // Nothing was learnt about the other side; the last result grows old.
    if (outcome.local_fault) return;
    const bool news = !watch.last || watch.last->ok != outcome.ok;
    watch.measured = begun;
    watch.last = std::move(outcome);
    if (!news) return;
    log::event(
        watch.last->ok ? log::Level::info : log::Level::warning,
        "probe_changed",
        {{"probe", watch.config.name},
         {"subject", watch.config.subject},
         {"ok", watch.last->ok},
         {"error", watch.last->error}}
    );
    on_change_();
}

std::vector<ProbeResult> Prober::results() const {
    std::vector<ProbeResult> out;
    const auto now = clocks_.monotonic();
    for (const auto& watch : watches_) {
        if (!watch->last) continue;
        ProbeResult result;
        result.name = watch->config.name;
        result.kind = to_string(watch->config.kind);
        result.subject = watch->config.subject;
        result.view = watch->config.view;
        result.ok = watch->last->ok;
        result.latency_ms = static_cast<std::uint64_t>(
            std::chrono::duration_cast<milliseconds>(watch->last->latency).count()
        );
        result.age_ms = static_cast<std::uint64_t>((now - watch->measured).count());
        result.detail = watch->last->ok ? watch->last->note : watch->last->error;
        out.push_back(std::move(result));
    }
    return out;
}

}  // namespace twinsite::monitor::site
