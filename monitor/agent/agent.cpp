// SPDX-License-Identifier: Apache-2.0
#include "monitor/agent/agent.hpp"

#include <algorithm>
#include <utility>

#include "base/async/deadline.hpp"
#include "base/crypto/secret.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor::agent {
namespace {

namespace asio = boost::asio;
namespace contract = wire::contract;
namespace log = base::log;
using contract::CommandResult;
using contract::Report;
using contract::Sample;
using log::Level;
using std::chrono::milliseconds;

constexpr std::size_t kBootIdBytes = 12;

action::Operations::Settings operation_settings(const AgentConfig& config) {
    action::Operations::Settings out;
    out.agent = contract::host_id(config.links.self.site, config.links.self.name);
    out.directory = config.state_directory;
    out.ca = config.links.tls.ca;
    out.crl = config.links.tls.crl;
    return out;
}

}  // namespace

Agent::Agent(
    const asio::any_io_executor& executor,
    AgentConfig config,
    report::Clocks clocks,
    Collect collect,
    std::function<void()> too_large
)
    : config_(std::move(config)),
      clocks_(std::move(clocks)),
      collect_(std::move(collect)),
      started_(clocks_.monotonic()),
      boot_id_(base::crypto::random_token(kBootIdBytes)),
      schedule_(contract::to_uri(config_.links.self), config_.links.interval),
      outbox_(
          {},
          report::names_of(config_.links.servers),
          config_.state_directory + "/spool.log",
          clocks_
      ),
      memory_(config_.memory, outbox_, std::move(too_large)),
      operations_(
          executor,
          operation_settings(config_),
          clocks_,
          [this](const CommandResult& result) { on_end(result); }
      ),
      links_(
          executor,
          config_.links,
          "/agent/v1/report",
          outbox_,
          [this](const spool::Entry& entry, bool live, std::size_t server) {
              return dress(entry, live, server);
          },
          [this](std::size_t server, const std::vector<contract::Command>& commands) {
              on_commands(server, commands);
          }
      ),
      tasks_(executor) {}

void Agent::start() {
    usage_.cpu_percent(clocks_.monotonic());
    links_.start();
    tasks_.start(report_for_ever());
}

asio::awaitable<void> Agent::report_for_ever() {
    for (;;) {
        const auto now = clocks_.monotonic();
        const auto due = schedule_.next(now);
        co_await base::async::sleep_for(due - now);
        report_now();
        memory_.look(report::SelfUsage::rss_bytes());
    }
}

void Agent::report_now() {
    Report out;
    out.site = config_.links.self.site;
    out.name = config_.links.self.name;
    out.role = config_.kind;
    out.version = config_.version;
    out.boot_id = boot_id_;
    out.seq = ++seq_;
    out.interval_ms = static_cast<std::uint64_t>(config_.links.interval.count());
    out.samples = collect_();
    out.samples.push_back(measure_self());
    outbox_.add(contract::encode_report(out));
    links_.wake();
}

Sample Agent::measure_self() {
    Sample out;
    out.collector = "self";
    std::size_t backlog = 0;
    std::uint64_t dropped = 0;
    std::int64_t skew = 0;
    for (std::size_t server = 0; server < links_.size(); ++server) {
        backlog = std::max(backlog, outbox_.backlog(server));
        dropped = std::max(dropped, outbox_.dropped(server));
        skew = links_.state(server).skew_ms;
        out.texts.emplace_back(
            "server@" + links_.state(server).server, links_.state(server).up ? "up" : "down"
        );
    }
    out.numbers.emplace_back("rss_bytes", static_cast<double>(report::SelfUsage::rss_bytes()));
    out.numbers.emplace_back("backlog", static_cast<double>(backlog));
    out.numbers.emplace_back("dropped", static_cast<double>(dropped));
    out.numbers.emplace_back("skew_ms", static_cast<double>(skew));
    if (const auto percent = usage_.cpu_percent(clocks_.monotonic()))
        out.numbers.emplace_back("cpu_percent", *percent);
    return out;
}

/// What is known only when it is sent: ages on the monotonic clock, and how much waits.
std::string Agent::dress(const spool::Entry& entry, bool live, std::size_t server) const {
    auto decoded = contract::decode_report(entry.text);
    if (!decoded) return entry.text;  // not ours: the server refuses it and it goes
    auto& out = *decoded;
    const auto now = clocks_.monotonic();
    const auto age = std::max(now - entry.measured, milliseconds(0));
    out.sent_wall_ms = clocks_.wall_ms();
    out.mono_ms = static_cast<std::uint64_t>(std::max(now, milliseconds(0)).count());
    out.age_ms = static_cast<std::uint64_t>(age.count());
    out.backlog = outbox_.backlog(server);
    out.dropped = outbox_.dropped(server);
    out.backfill = !live;
    out.fence = operations_.fence();
    return contract::encode_report(out);
}

void Agent::on_commands(std::size_t server, const std::vector<contract::Command>& commands) {
    for (const auto& command : commands) {
        const auto result = operations_.submit(command);
        if (!contract::is_final(result.state)) askers_[result.op_id].insert(server);
        links_.send_result(server, result);
    }
}

void Agent::on_end(const CommandResult& result) {
    const auto askers = askers_.extract(result.op_id);
    if (askers.empty()) return;
    for (const auto server : askers.mapped()) links_.send_result(server, result);
}

void Agent::drain(std::function<void()> ended) {
    outbox_.save();
    operations_.drain(std::move(ended));
}

void Agent::stop() {
    tasks_.cancel();
    links_.stop();
    operations_.stop();
}

}  // namespace twinsite::monitor::agent
