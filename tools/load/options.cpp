// SPDX-License-Identifier: Apache-2.0
#include "tools/load/options.hpp"

#include <CLI/CLI.hpp>

#include "base/text/text.hpp"

namespace twinsite::tools::load {
namespace {

constexpr int kBadUsage = 2;

/// The command line as text, before the values are read.
struct Words {
    std::string targets;
    std::string bind;
    std::string duration;
    std::string timeout = "10s";
    std::string watchdog = "30s";
};

std::string targets_problem(const std::string& text) {
    for (const auto part : base::text::split(text, ','))
        if (!base::net::parse_endpoint(part)) return "'" + std::string(part) + "' is not IP:PORT";
    return {};
}

std::string address_problem(const std::string& text) {
    if (base::text::parse_ip(text)) return {};
    return "'" + text + "' is not an IP address";
}

std::string duration_problem(const std::string& text) {
    if (base::text::parse_duration(text)) return {};
    return "'" + text + "' is not a duration like 500ms or 10s";
}

void add_connection_options(CLI::App& app, Options& out, Words& words) {
    app.add_option("--target", words.targets, "where to connect to; taken in turn")
        ->required()
        ->type_name("IP:PORT[,IP:PORT...]")
        ->check(targets_problem);
    app.add_option("--bind", words.bind, "source address")->type_name("IP")->check(address_problem);
    app.add_option("--connections", out.connections, "network elements, one connection each")
        ->required()
        ->check(CLI::Range(1U, 10'000U));
    app.add_option("--host-prefix", out.host_prefix, "Origin-Hosts are PREFIX0000.REALM and so on");
    app.add_option("--realm", out.realm, "Origin-Realm (default access.example.net)");
    app.add_option("--destination-realm", out.destination_realm, "default example.net");
    app.add_option("--timeout", words.timeout, "a request without an answer is lost (default 10s)")
        ->type_name("DURATION")
        ->check(duration_problem);
    app.add_option("--watchdog", words.watchdog, "silence before a DWR (default 30s)")
        ->type_name("DURATION")
        ->check(duration_problem);
    app.add_flag(
        "--reconnect",
        out.reconnect,
        "dial again after a lost connection and send what is pending again with the T flag"
    );
}

void add_load_options(CLI::App& app, Options& out, Words& words) {
    auto* const pace = app.add_option_group("pace", "exactly one of");
    pace->add_option("--window", out.window, "closed loop: requests on their way per connection")
        ->check(CLI::Range(1U, 65'535U));
    pace->add_option("--rate", out.rate_per_second, "open loop: requests per second in all")
        ->check(CLI::Range(0.1, 10'000'000.0));
    pace->require_option(1);
    auto* const length = app.add_option_group("length", "exactly one of");
    length->add_option("--sessions", out.sessions, "end after so many sessions")
        ->check(CLI::Range(1U, 2'000'000'000U));
    length->add_option("--duration", words.duration, "end after so long")
        ->type_name("DURATION")
        ->check(duration_problem);
    length->require_option(1);
    app.add_option("--updates", out.updates, "CCR-Us between initial and termination (default 3)")
        ->check(CLI::Range(0U, 1'000'000U));
    app.add_option(
           "--open-sessions",
           out.open_sessions,
           "open loop: sessions open at a time in all (default: half the rate)"
    )
        ->check(CLI::Range(1U, 100'000'000U));
    app.add_flag("--progress", out.progress, "a line a second on standard error");
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
    Options out;
    Words words;
    CLI::App app(
        "twinsite-load: network elements that charge sessions over Diameter (RFC 8506) and check\n"
        "every answer. Prints one JSON object at the end; exit code 1 when a request was lost or\n"
        "an answer came twice or unexpectedly, 3 when the target cannot be reached.",
        "twinsite-load"
    );
    add_connection_options(app, out, words);
    add_load_options(app, out, words);
    app.set_version_flag("--version", "twinsite-load " TWINSITE_VERSION);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error) == 0 ? 0 : kBadUsage;
        return std::nullopt;
    }
    for (const auto part : base::text::split(words.targets, ','))
        if (const auto target = base::net::parse_endpoint(part)) out.targets.push_back(*target);
    if (!words.bind.empty()) out.bind = base::text::parse_ip(words.bind);
    if (!words.duration.empty()) out.duration = base::text::parse_duration(words.duration);
    out.timeout = base::text::parse_duration(words.timeout).value_or(out.timeout);
    out.watchdog = base::text::parse_duration(words.watchdog).value_or(out.watchdog);
    return out;
}

}  // namespace twinsite::tools::load
