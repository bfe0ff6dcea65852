// SPDX-License-Identifier: Apache-2.0
// A thousand agents in one process, for bench/run switchover. `certificates` writes what everybody
// needs into a folder. `load` plays the agents and prints a JSON object a line as it goes on:
// "idle" when all are connected, have reported once and poll, "load" before the measured reports,
// "done" after them. It then keeps the connections until its standard input ends.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/daemon/descriptor_limit.hpp"
#include "base/http/message.hpp"
#include "bench/switchover/agents.hpp"
#include "bench/switchover/certificates.hpp"
#include "bench/switchover/simulated_agent.hpp"

namespace twinsite::bench {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Options {
    std::string folder;
    std::string server;
    std::size_t agents = 1'000;
    std::size_t reports = 10;
    milliseconds period{2'000};
    milliseconds interval{10'000};
    milliseconds idle{8'000};
    double connect_rate = 100;  ///< Agents a second; each makes two handshakes.
};

double percentile(std::vector<std::uint32_t> sorted, std::size_t percent) {
    if (sorted.empty()) return 0;
    return static_cast<double>(sorted[(sorted.size() - 1) * percent / 100]) / 1'000;
}

void print_phase(const char* phase, Tally& tally) {
    auto& latencies = tally.latencies_us;
    std::sort(latencies.begin(), latencies.end());
    std::printf(
        "{\"phase\":\"%s\",\"sent\":%llu,\"acknowledged\":%llu,\"polls\":%llu,"
        "\"failed_polls\":%llu,\"body_bytes\":%llu,\"p50_ms\":%.1f,\"p99_ms\":%.1f,"
        "\"max_ms\":%.1f,\"failure\":%s}\n",
        phase,
        static_cast<unsigned long long>(tally.sent),
        static_cast<unsigned long long>(tally.acknowledged),
        static_cast<unsigned long long>(tally.polls),
        static_cast<unsigned long long>(tally.failed_polls),
        static_cast<unsigned long long>(tally.body_bytes),
        percentile(latencies, 50),
        percentile(latencies, 99),
        percentile(latencies, 100),
        base::http::quote_json(tally.first_failure).c_str()
    );
    std::fflush(stdout);
    latencies.clear();
}

class Load {
public:
    Load(const Options& options, const base::net::Endpoint& server)
        : options_(options), reporting_(io_.get_executor()), polling_(io_.get_executor()) {
        const SimulatedAgent::Settings settings{options_.folder, server, options_.interval};
        for (std::size_t index = 0; index < options_.agents; ++index)
            agents_.push_back(
                std::make_unique<SimulatedAgent>(io_.get_executor(), settings, index, tally_)
            );
    }

    /// Everybody polls on afterwards. False when a report was not acknowledged.
    bool run() {
        base::async::TaskGroup main(io_.get_executor());
        main.start(play());
        io_.run();
        return tally_.sent == tally_.acknowledged && tally_.failed_polls == 0;
    }

private:
    asio::awaitable<void> play() {
        co_await connect();
        print_phase("idle", tally_);
        co_await base::async::sleep_for(options_.idle);
        print_phase("load", tally_);
        co_await report(options_.reports, options_.period, options_.period);
        print_phase("done", tally_);
        io_.stop();
    }

    /// One report each and the first poll, spread over the time that the rate of handshakes asks.
    asio::awaitable<void> connect() {
        using std::chrono::duration_cast;
        const auto over = std::chrono::duration<double>(
            static_cast<double>(options_.agents) / options_.connect_rate
        );
        const auto spread = duration_cast<milliseconds>(over);
        co_await report(1, spread, spread);
        for (std::size_t index = 0; index < agents_.size(); ++index) {
            const std::chrono::seconds wait(
                1 + index % static_cast<std::size_t>(kPollWait.count())
            );
            polling_.start(agents_[index]->poll(wait));
            co_await base::async::sleep_for(spread / agents_.size());
        }
    }

    /// All agents, their phases spread over `spread`; back when the last answer is there.
    asio::awaitable<void> report(std::size_t count, milliseconds spread, milliseconds period) {
        const auto begin = steady_clock::now();
        for (std::size_t index = 0; index < agents_.size(); ++index) {
            const auto phase = spread * index / agents_.size();
            reporting_.start(agents_[index]->report(count, begin + phase, period));
        }
        co_await reporting_.wait();
    }

    const Options options_;
    Tally tally_;
    asio::io_context io_{1};
    std::vector<std::unique_ptr<SimulatedAgent>> agents_;
    base::async::TaskGroup reporting_;
    base::async::TaskGroup polling_;
};

int write_files(const Options& options) {
    const auto address = base::text::parse_ip(options.server);
    if (!address) throw std::runtime_error("bad address " + options.server);
    const auto done = write_certificates(options.folder, options.agents, *address);
    if (!done) throw std::runtime_error(options.folder + ": " + done.error().message());
    return 0;
}

int load(const Options& options) {
    const auto server = base::net::parse_endpoint(options.server);
    if (!server) throw std::runtime_error("bad server " + options.server);
    base::daemon::raise_descriptor_limit();
    Load agents(options, *server);
    const auto good = agents.run();
    std::cin.ignore(std::numeric_limits<std::streamsize>::max());
    return good ? 0 : 1;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("agents that report to one twinsite-switchover");
    app.require_subcommand(1);
    auto* files = app.add_subcommand("certificates", "write an authority and all certificates");
    files->add_option("--server", options.server, "address of the server")->required();
    auto* play = app.add_subcommand("load", "play the agents");
    play->add_option("--server", options.server, "address and port")->required();
    for (auto* command : {files, play}) {
        command->add_option("--folder", options.folder, "of the certificates")->required();
        command->add_option("--agents", options.agents)
            ->check(CLI::Range(std::size_t{1}, kMostAgents));
    }
    play->add_option("--reports", options.reports, "of each agent in the measured part");
    std::size_t period = 2'000;
    std::size_t idle = 8'000;
    play->add_option("--period-ms", period, "between two reports of an agent");
    play->add_option("--idle-ms", idle, "between the first reports and the measured part");
    play->add_option("--connect-rate", options.connect_rate, "agents a second")
        ->check(CLI::Range(1.0, 10'000.0));
    CLI11_PARSE(app, argc, argv);
    options.period = milliseconds(period);
    options.idle = milliseconds(idle);
    return files->parsed() ? write_files(options) : load(options);
}

}  // namespace
}  // namespace twinsite::bench

int main(int argc, char** argv) {
    try {
        return twinsite::bench::run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "bench_agents: %s\n", failure.what());
        return 1;
    }
}
