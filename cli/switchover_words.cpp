// SPDX-License-Identifier: Apache-2.0
#include "cli/switchover_words.hpp"

#include <array>
#include <utility>

#include <CLI/CLI.hpp>

namespace twinsite::cli {
namespace {

using Command = ExitCode (*)(const Settings&, const SwitchoverWords&);

/// Adds commands that remember themselves as the chosen one.
class Adder {
public:
    Adder(SwitchoverWords& words, const Settings& settings, std::function<ExitCode()>& chosen)
        : words_(words), settings_(settings), chosen_(chosen) {}

    CLI::App* add(CLI::App& parent, const char* name, const char* text, Command command) const {
        return add_any(parent, name, text, [command](const auto& settings, const auto& words) {
            return command(settings, words);
        });
    }
    CLI::App* add_order(CLI::App& parent, const char* verb, const char* text) const {
        return add_any(parent, verb, text, [verb](const auto& settings, const auto& words) {
            return run_order(settings, words, verb);
        });
    }

private:
    template <class Call>
    CLI::App* add_any(CLI::App& parent, const char* name, const char* text, Call call) const {
        auto* out = parent.add_subcommand(name, text);
        out->fallthrough();
        out->callback([&words = words_, &settings = settings_, &chosen = chosen_, call] {
            chosen = [&words, &settings, call] { return call(settings, words); };
        });
        return out;
    }

    SwitchoverWords& words_;
    const Settings& settings_;
    std::function<ExitCode()>& chosen_;
};

void add_runs(CLI::App& app, SwitchoverWords& words, const Adder& adder) {
    auto* group = app.add_subcommand("run", "Start, follow and steer runs of scenarios");
    group->require_subcommand(1);
    group->fallthrough();
    auto* start = adder.add(*group, "start", "Start a scenario now", run_start);
    start->add_option("SCENARIO", words.scenario, "Its name")->required();
    start->add_option("--reason", words.reason, "Why; kept and shown");
    start->add_option("--variant", words.variant, "A variant of the scenario");
    start->add_option(
        "--override", words.overrides, "RULE=REASON: start although this rule forbids it"
    );
    start->add_flag("--watch", words.watch, "Follow it to its end");
    auto* list = adder.add(*group, "list", "The newest runs", run_list);
    list->add_option("--limit", words.limit, "How many (default: 50)")->check(CLI::Range(1, 200));
    auto* show = adder.add(*group, "show", "A run with its steps and times", run_show);
    auto* watch = adder.add(*group, "watch", "Follow a run to its end", run_watch);
    for (auto* command : {show, watch})
        command->add_option("RUN", words.run, "Its id (default: the newest)");
    for (auto* command : {start, watch})
        command->add_option("--for", words.watch_limit, "Follow it so long at most (default: 1h)");
    constexpr std::array<std::pair<const char*, const char*>, 6> kOrders = {{
        {"pause", "Begin no further step"},
        {"resume", "Go on"},
        {"abort", "End it; what is done stays done"},
        {"retry", "Try a failed step again"},
        {"skip", "Go on without a failed step"},
        {"answer", "Answer a step that asks a person"},
    }};
    for (const auto& [verb, text] : kOrders) {
        auto* order = adder.add_order(*group, verb, text);
        order->add_option("RUN", words.run, "Its id")->required();
        order->add_option("--reason", words.reason, "Why; kept and shown");
        order->add_option("--step", words.step, "The step (default: the one that waits)");
        if (std::string_view(verb) == "answer")
            order->add_option("ANSWER", words.answer, "yes or no")
                ->required()
                ->check(CLI::IsMember({"yes", "no"}));
    }
}

void add_audit(CLI::App& app, SwitchoverWords& words, const Adder& adder) {
    auto* group = app.add_subcommand("audit", "Who did what");
    group->require_subcommand(1);
    group->fallthrough();
    auto* list = adder.add(*group, "list", "The last lines", switchover_audit_list);
    list->add_option("--after", words.after, "Those after this number instead");
    list->add_option("--limit", words.limit, "How many (default: 50)")->check(CLI::Range(1, 1'000));
    adder.add(*group, "verify", "Check the whole chain", switchover_audit_verify);
}

}  // namespace

void add_switchover(
    CLI::App& app,
    SwitchoverWords& words,
    const Settings& settings,
    std::function<ExitCode()>& chosen
) {
    app.add_option(
        "--server",
        words.place.servers,
        "Switchover server, IP:8444, several by commas (default: $TWINSITE_SERVER, else "
        "~/.config/twinsite.yaml)"
    );
    app.add_option(
        "--tls",
        words.place.tls,
        "Your certificate DIR/NAME.crt, beside NAME.key and ca.crt (default: $TWINSITE_TLS)"
    );
    const Adder adder(words, settings, chosen);
    adder.add(app, "status", "Sites, services, scenarios, runs, alarms", switchover_status);
    auto* hosts = adder.add(app, "hosts", "Machines and their numbers", switchover_hosts);
    hosts->add_option("--site", words.site, "Only those of a site");
    auto* why = adder.add(app, "why", "Why a scenario runs, or why not", switchover_why);
    auto* mode = adder.add(app, "mode", "Set how a scenario may start", switchover_mode);
    for (auto* command : {why, mode})
        command->add_option("SCENARIO", words.scenario, "Its name")->required();
    mode->add_option("MODE", words.mode, "auto, semi or off")
        ->required()
        ->check(CLI::IsMember({"auto", "semi", "off"}));
    auto* pause = adder.add(app, "pause", "Let nothing start by itself", switchover_pause);
    pause->add_option("--until", words.until, "Ends by itself after this time: 10m, 2h");
    pause->add_option("--reason", words.reason, "Why; kept and shown")->required();
    mode->add_option("--reason", words.reason, "Why; kept and shown");
    adder.add(app, "unpause", "End the pause", switchover_unpause);
    add_runs(app, words, adder);
    add_audit(app, words, adder);
}

}  // namespace twinsite::cli
