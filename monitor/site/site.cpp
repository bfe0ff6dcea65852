// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/site.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/async/deadline.hpp"
#include "base/crypto/secret.hpp"
#include "base/daemon/daemon.hpp"
#include "base/text/text.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::site {
namespace {

namespace asio = boost::asio;
namespace contract = wire::contract;
namespace http = base::http;
namespace log = base::log;
using contract::Batch;
using log::Level;
using std::chrono::milliseconds;

constexpr std::size_t kBootIdBytes = 12;
constexpr std::size_t kConnections = 20'000;  // two for each of 10,000 agents
constexpr milliseconds kSweep{500};
constexpr milliseconds kShortestGap{100};
constexpr std::size_t kFullEnough = 450'000;  // bytes of reports for which a batch goes at once

http::Limits limits() {
    http::Limits out;
    out.connections = kConnections;
    return out;
}

std::uint64_t to_ms(milliseconds time) {
    return static_cast<std::uint64_t>(std::max(time, milliseconds(0)).count());
}

}  // namespace

Site::Site(
    asio::io_context& io, SiteConfig config, report::Clocks clocks, std::function<void()> too_large
)
    : config_(std::move(config)),
      clocks_(std::move(clocks)),
      started_(clocks_.monotonic()),
      boot_id_(base::crypto::random_token(kBootIdBytes)),
      due_([this](const std::string& agent) { return relay_.due(agent, clocks_.monotonic()); }),
      schedule_(contract::to_uri(config_.links.self), config_.links.interval),
      outbox_(
          {},
          report::names_of(config_.links.servers),
          config_.state_directory + "/spool.log",
          clocks_
      ),
      memory_(
          config_.memory,
          outbox_,
          [this, too_large = std::move(too_large)] {
              save();
              too_large();
          }
      ),
      soon_(io.get_executor()),
      links_(
          io.get_executor(),
          config_.links,
          "/agent/v1/batch",
          outbox_,
          [this](const spool::Entry& entry, bool live, std::size_t) { return dress(entry, live); },
          [this](std::size_t server, const std::vector<contract::Command>& commands) {
              on_commands(server, commands);
          }
      ),
      prober_(
          io.get_executor(),
          config_.probes,
          config_.links.self.name,
          clocks_,
          [this] { send_soon(); }
      ),
      server_(io, router_, limits()),
      tasks_(io.get_executor()) {
    add_routes();
}

base::net::Endpoint Site::start() {
    http::TlsServer tls;
    tls.certificate = config_.links.tls.certificate;
    tls.key = config_.links.tls.key;
    tls.client_ca = config_.links.tls.ca;
    tls.crl = config_.links.tls.crl;
    const auto listening = server_.listen_tls(config_.listen, tls);
    if (!listening)
        throw base::daemon::StartError(
            "cannot listen on " + to_string(config_.listen) + ": " + listening.error().message()
        );
    links_.start();
    prober_.start();
    tasks_.start(send_for_ever());
    tasks_.start(sweep_for_ever());
    return *listening;
}

void Site::add_routes() {
    router_.add("POST", "/agent/v1/report", [this](const auto& request, const auto&) {
        return take_report(request);
    });
    router_.add("POST", "/agent/v1/results", [this](const auto& request, const auto&) {
        return take_results(request);
    });
    router_.add_later(
        "GET",
        "/agent/v1/commands",
        [this](const http::Request& request, const http::PathParameters&, http::Reply reply) {
            wait_for_commands(request, std::move(reply));
        }
    );
    router_.add("GET", "/healthz", [](const auto&, const auto&) {
        http::Response out;
        out.content_type = "text/plain";
        out.body = "ok\n";
        return out;
    });
}

std::optional<http::Response> Site::find_stranger(const http::Request& request, Identity& agent) {
    const auto peer = contract::parse_identity(request.peer_identity);
    if (peer && peer->role == "agent" && peer->site == config_.links.self.site) {
        agent = *peer;
        return std::nullopt;
    }
    ++counters_.refused;
    std::uint64_t held_back = 0;
    if (refusals_.allow(log::Throttle::Time::clock::now(), held_back))
        log::event(
            Level::warning,
            "stranger_refused",
            {{"identity", base::text::printable(request.peer_identity)},
             {"address", request.peer_address},
             {"held_back", held_back}}
        );
    return http::problem(403, "not an agent of this site", "the certificate decides");
}

http::Response Site::take_report(const http::Request& request) {
    Identity agent;
    if (auto refused = find_stranger(request, agent)) return *std::move(refused);
    auto report = contract::decode_report(request.body);
    if (!report) {
        ++counters_.refused;
        return http::problem(400, "bad report", report.error().message());
    }
    if (report->site != agent.site || report->name != agent.name) {
        ++counters_.refused;
        return http::problem(403, "wrong agent", "the report is not of the certificate's agent");
    }
    contract::Ack ack;
    ack.server = contract::to_uri(config_.links.self);
    ack.server_wall_ms = clocks_.wall_ms();
    ack.accepted = report->seq;
    const auto taken =
        reception_.take(*std::move(report), request.body.size(), clocks_.monotonic());
    if (taken == Reception::Taken::full) {
        ++counters_.refused;
        return http::problem(503, "full", "too many reports wait; send it again later");
    }
    ++(taken == Reception::Taken::fresh ? counters_.reports : counters_.repeated);
    if (reception_.bytes() > kFullEnough) send_soon();
    http::Response out;
    out.body = contract::encode_ack(ack);
    return out;
}

void Site::wait_for_commands(const http::Request& request, http::Reply reply) {
    Identity agent;
    if (auto refused = find_stranger(request, agent)) return reply.reply(*std::move(refused));
    const auto asked =
        base::text::parse_number<std::uint32_t>(http::find_query(request, "wait").value_or("0"));
    const auto longest = static_cast<std::uint32_t>(report::CommandPoll::kWait.count());
    const std::chrono::seconds wait(std::min(asked.value_or(0), longest));
    polls_.add(
        contract::host_id(agent.site, agent.name),
        std::move(reply),
        clocks_.monotonic() + wait,
        due_
    );
}

http::Response Site::take_results(const http::Request& request) {
    Identity agent;
    if (auto refused = find_stranger(request, agent)) return *std::move(refused);
    const auto results = contract::decode_results(request.body);
    if (!results) {
        ++counters_.refused;
        return http::problem(400, "bad results", results.error().message());
    }
    const auto own = contract::host_id(agent.site, agent.name);
    for (const auto& result : *results)
        if (result.agent != own) {
            ++counters_.refused;
            return http::problem(403, "wrong agent", "a result is not of the certificate's agent");
        }
    for (const auto& result : *results) {
        ++counters_.results;
        const auto servers = relay_.answered(result, clocks_.monotonic());
        for (std::size_t server = 0; server < links_.size(); ++server)
            if (servers.empty() || servers.contains(server)) links_.send_result(server, result);
    }
    http::Response out;
    out.status = 204;
    return out;
}

void Site::on_commands(std::size_t server, const std::vector<contract::Command>& commands) {
    std::vector<contract::Command> own;
    for (const auto& command : commands) {
        const auto agent = contract::agent_of(command.agent);
        if (agent && agent->site == config_.links.self.site) own.push_back(command);
    }
    for (const auto& agent : relay_.add(server, own, clocks_.monotonic())) polls_.look(agent, due_);
}

asio::awaitable<void> Site::send_for_ever() {
    auto due = schedule_.next(clocks_.monotonic());
    for (;;) {
        const auto rest = due - clocks_.monotonic();
        if (rest > milliseconds(0)) co_await soon_.wait(rest);
        send_batch();
        due = schedule_.next(clocks_.monotonic());
        // A probe that flaps must not turn into a stream of batches.
        co_await base::async::sleep_for(std::min(kShortestGap, schedule_.interval()));
    }
}

asio::awaitable<void> Site::sweep_for_ever() {
    for (;;) {
        co_await base::async::sleep_for(kSweep);
        const auto now = clocks_.monotonic();
        relay_.trim(now);
        polls_.sweep(now, due_);
        memory_.look(report::SelfUsage::rss_bytes());
    }
}

void Site::send_soon() {
    soon_.raise();
}

void Site::send_batch() {
    Batch out;
    out.site = config_.links.self.site;
    out.name = config_.links.self.name;
    out.version = config_.version;
    out.boot_id = boot_id_;
    out.seq = ++seq_;
    out.interval_ms = to_ms(config_.links.interval);
    out.reports = reception_.release(clocks_.monotonic());
    for (const auto& report : out.reports)
        if (!report.backfill) newest_[report.name] = {report.boot_id, report.seq};
    out.probes = prober_.results();
    outbox_.add(contract::encode_batch(out));
    ++counters_.batches;
    links_.wake();
}

/// What is known only when it is sent: ages on the monotonic clock. A report of a batch that is
/// late is still the latest news of its agent unless a newer batch has a newer one.
std::string Site::dress(const spool::Entry& entry, bool live) const {
    auto decoded = contract::decode_batch(entry.text);
    if (!decoded) return entry.text;  // not ours: the server refuses it and it goes
    auto& out = *decoded;
    const auto now = clocks_.monotonic();
    const auto held = to_ms(now - entry.measured);
    out.sent_wall_ms = clocks_.wall_ms();
    out.mono_ms = to_ms(now);
    for (auto& report : out.reports) {
        report.age_ms += held;
        const auto newest = newest_.find(report.name);
        const bool latest =
            newest != newest_.end() && newest->second == std::pair(report.boot_id, report.seq);
        report.backfill = report.backfill || !latest;
    }
    for (auto& probe : out.probes) probe.age_ms += held;
    if (!live) out.probes.clear();
    return contract::encode_batch(out);
}

std::size_t Site::agents() const {
    return reception_.agents(clocks_.monotonic(), 3 * config_.links.interval);
}

void Site::drain(std::function<void()> ended) {
    save();
    server_.stop([this, ended = std::move(ended)] {
        save();  // what came meanwhile
        ended();
    });
}

/// What agents were told to be taken must not be lost with us.
void Site::save() {
    if (!reception_.empty()) send_batch();
    outbox_.save();
}

void Site::stop() {
    tasks_.cancel();
    links_.stop();
    prober_.stop();
}

}  // namespace twinsite::monitor::site
