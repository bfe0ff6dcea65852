// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/crypto/authority.hpp"
#include "base/text/text.hpp"
#include "cli/demo/commands.hpp"
#include "cli/demo/traffic.hpp"
#include "cli/gslb_commands.hpp"
#include "cli/pki_commands.hpp"
#include "cli/settings.hpp"
#include "cli/slb_commands.hpp"
#include "cli/switchover_words.hpp"

namespace twinsite::cli {
namespace {

/// What the parsed words end up in; lives until the chosen command has run.
struct Words {
    Settings settings;
    std::string limit = "5s";
    ExplainQuery explain;
    OverrideWish wish;
    std::string blade;
    std::string address;
    bool force = false;
    demo::Options demo;
    std::vector<std::string> parts;
    bool freeze = false;
    demo::TrafficOptions traffic;
    SwitchoverWords switchover;
    PkiWords pki;

    /// Set by the callback of the one command that was named.
    std::function<ExitCode()> chosen;
};

using Command = ExitCode (*)(const Words&);

CLI::App* add(
    CLI::App& parent, Words& words, const char* name, const char* text, const Command command
) {
    auto* out = parent.add_subcommand(name, text);
    out->fallthrough();
    out->callback([&words, command] { words.chosen = [&words, command] { return command(words); }; }
    );
    return out;
}

CLI::App* add_group(CLI::App& parent, const char* name, const char* text) {
    auto* out = parent.add_subcommand(name, text);
    out->require_subcommand(1);
    out->fallthrough();
    return out;
}

void add_override(CLI::App& gslb, Words& words) {
    auto* group = add_group(gslb, "override", "Force targets or sites by hand, above all health");
    auto* set = add(*group, words, "set", "Put an override in force", [](const Words& w) {
        return gslb_override_set(w.settings, w.wish);
    });
    set->add_option("SERVICE", words.wish.service, "A service of gslb.yaml")->required();
    set->add_option("OBJECT", words.wish.object, "A target's name, or site:NAME")->required();
    set->add_option("STATE", words.wish.state, "What to force")
        ->required()
        ->check(CLI::IsMember({"up", "down", "drain"}));
    set->add_option("--reason", words.wish.reason, "Why; kept and shown")->required();
    set->add_option("--author", words.wish.author, "Who (default: the user running this)");
    set->add_option("--ttl", words.wish.ttl, "Ends by itself after this time: 30m, 2h, 1d");

    set->add_flag("--force", words.wish.force, "Even when no healthy site would be left");

    auto* clear = add(*group, words, "clear", "Take an override back", [](const Words& w) {
        return gslb_override_clear(w.settings, w.wish);
    });
    clear->add_option("SERVICE", words.wish.service, "A service of gslb.yaml")->required();
    clear->add_option("OBJECT", words.wish.object, "A target's name, or site:NAME")->required();
    clear->add_flag("--force", words.wish.force, "Even when no healthy site would be left");

    add(*group, words, "list", "Show the overrides in force", [](const Words& w) {
        return gslb_override_list(w.settings);
    });
}

void add_gslb(CLI::App& app, Words& words) {
    auto* group = add_group(app, "gslb", "Ask or change a twinsite-gslb (steering by DNS)");
    auto* explain =
        add(*group, words, "explain", "Why a client gets which answer", [](const Words& w) {
            return gslb_explain(w.settings, w.explain);
        });
    explain->add_option("NAME", words.explain.name, "The name asked for")->required();
    explain->add_option("TYPE", words.explain.type, "The record type (default: A)");
    explain->add_option("--client", words.explain.client, "Address the query comes from");
    explain->add_option(
        "--subnet", words.explain.subnet, "Client subnet in the query, 10.1.0.0/16"
    );
    add_override(*group, words);
    add(*group, words, "stats", "Counters", [](const Words& w) { return gslb_stats(w.settings); });
    add(*group, words, "status", "Zones, targets, health", [](const Words& w) {
        return gslb_status(w.settings);
    });
    add(*group, words, "reload", "Read the configuration again", [](const Words& w) {
        return gslb_reload(w.settings);
    });
}

void add_slb(CLI::App& app, Words& words) {
    auto* group = add_group(app, "slb", "Ask or change a twinsite-slb (balancing over blades)");
    add(*group, words, "blades", "The blades, their links and counters", [](const Words& w) {
        return slb_blades(w.settings);
    });
    auto* added = add(*group, words, "add", "Add a blade", [](const Words& w) {
        return slb_add(w.settings, w.blade, w.address);
    });
    added->add_option("NAME", words.blade, "A new name")->required();
    added->add_option("ADDRESS", words.address, "IP:PORT")->required();
    auto* drain = add(*group, words, "drain", "Give a blade no new sessions", [](const Words& w) {
        return slb_drain(w.settings, w.blade);
    });
    auto* activate = add(*group, words, "activate", "End a drain", [](const Words& w) {
        return slb_activate(w.settings, w.blade);
    });
    auto* remove = add(*group, words, "remove", "Take a blade out", [](const Words& w) {
        return w.force ? slb_remove_by_force(w.settings, w.blade) : slb_remove(w.settings, w.blade);
    });
    remove->add_flag("--force", words.force, "Even with sessions or requests left on it");
    for (auto* command : {drain, activate, remove})
        command->add_option("NAME", words.blade, "A blade")->required();
    add(*group, words, "stats", "Counters", [](const Words& w) { return slb_stats(w.settings); });
    add(*group, words, "status", "Node, readiness, blades, clients, sessions", [](const Words& w) {
        return slb_status(w.settings);
    });
    add(*group, words, "reload", "Read the configuration again", [](const Words& w) {
        return slb_reload(w.settings);
    });
}

void add_traffic(CLI::App& group, Words& words) {
    auto* traffic =
        add(group, words, "traffic", "Charge sessions as network elements do", [](const Words& w) {
            return demo::traffic(w.demo, w.traffic);
        });
    traffic->add_option("--site", words.traffic.site, "Where the clients are (default: both)")
        ->check(CLI::IsMember({"east", "west", "both"}));
    traffic->add_option("--seconds", words.traffic.seconds, "How long (default: until Ctrl-C)")
        ->check(CLI::Range(1, 86'400));
    traffic
        ->add_option("--rate", words.traffic.rate, "Requests per second of a client (default: 100)")
        ->check(CLI::Range(1, 5'000));
}

void add_demo(CLI::App& app, Words& words) {
    auto* group = add_group(app, "demo", "Two sites on this machine, to watch and to break");
    group->add_option(
        "--state", words.demo.state, "Folder of the demo (default: ~/.twinsite-demo)"
    );
    group->add_option(
        "--net", words.demo.net, "First two octets of its addresses (default: 127.0)"
    );
    add(*group, words, "start", "Start everything and wait until it works", [](const Words& w) {
        return demo::start(w.demo);
    });
    add_traffic(*group, words);
    auto* breaks = add(*group, words, "break", "Kill a part of it", [](const Words& w) {
        return demo::break_parts(
            w.demo, w.parts, w.freeze ? demo::Violence::stop : demo::Violence::kill
        );
    });
    breaks->add_option("WHAT", words.parts, "site S | slb S | gslb S | blade S N")->required();
    breaks->add_flag("--stop", words.freeze, "Freeze it (SIGSTOP) instead of killing it");
    auto* heal = add(*group, words, "heal", "Mend what is broken", [](const Words& w) {
        return demo::heal(w.demo, w.parts);
    });
    heal->add_option("WHAT", words.parts, "As for break (default: everything)");
    add(*group, words, "status", "What runs and works", [](const Words& w) {
        return demo::status(w.demo);
    });
    add(*group, words, "stop", "End it", [](const Words& w) { return demo::stop(w.demo); });
}

void add_pki_issue(CLI::App& group, PkiWords& pki, CLI::App& issue) {
    issue.add_option("IDENTITY", pki.identity, "twinsite://SITE/ROLE/NAME")->required();
    issue.add_option("--ip", pki.addresses, "An address of it; may be repeated")
        ->allow_extra_args(false);
    issue.add_option("--dns", pki.dns_names, "A DNS name of it; may be repeated")
        ->allow_extra_args(false);
    issue.add_flag("--signing", pki.signing, "Also NAME.sign.crt, for signed commands");
    issue.add_option("--out", pki.out, "Where to write (default: DIR)");
    issue.add_option("--file", pki.file, "Name of the files (default: NAME)");
    group.footer("Files of DIR: ca.crt, ca.key (secret), crl.pem, issued/");
}

void add_pki(CLI::App& app, Words& words) {
    auto* group =
        add_group(app, "pki", "Certificates of the machines: mutual TLS, signed commands");
    auto& pki = words.pki;
    auto* init = add(*group, words, "init", "Make an authority", [](const Words& w) {
        return pki_init(w.settings, w.pki);
    });
    auto* issue = add(*group, words, "issue", "Certificate for a machine", [](const Words& w) {
        return pki_issue(w.settings, w.pki);
    });
    auto* renew = add(*group, words, "renew", "New key, same names", [](const Words& w) {
        return pki_renew(w.settings, w.pki);
    });
    auto* revoke = add(*group, words, "revoke", "Never trust it again", [](const Words& w) {
        return pki_revoke(w.settings, w.pki);
    });
    auto* show = add(*group, words, "show", "What was issued", [](const Words& w) {
        return pki_show(w.settings, w.pki);
    });
    for (auto* command : {init, issue, renew, revoke, show})
        command->add_option("DIR", pki.folder, "Folder of the authority")->required();
    init->add_option("--name", pki.name, "Its name (default: Twinsite)");
    init->add_option("--days", pki.authority_days, "How long it lasts (default: 3650)")
        ->check(CLI::Range(1, 36'500));
    add_pki_issue(*group, pki, *issue);
    renew->add_option("WHICH", pki.which, "NAME in DIR, or a certificate file")->required();
    revoke->add_option("WHICH", pki.which, "NAME, identity or serial")->required();
    revoke->add_option("--reason", pki.reason, "Why (default: unspecified)")
        ->check(CLI::IsMember(base::crypto::revocation_reasons()));
    show->add_option("--expiring", pki.expiring, "Only those that end within this time: 30d");
    for (auto* command : {issue, renew})
        command->add_option("--days", pki.days, "How long it lasts (default: 365, or as before)")
            ->check(CLI::Range(1, 36'500));
}

void add_global(CLI::App& app, Words& words) {
    app.add_option(
        "--socket",
        words.settings.socket,
        "Control socket (default: $TWINSITE_GSLB_SOCKET or $TWINSITE_SLB_SOCKET, else "
        "/run/twinsite/gslb.sock or slb.sock)"
    );
    app.add_option_function<std::string>(
           "-o,--output",
           [&words](const std::string& format) {
               words.settings.format = format == "json" ? Format::json : Format::text;
               words.demo.json = format == "json";
           },
           "text or json (default: text)"
    )
        ->check(CLI::IsMember({"text", "json"}));
    app.add_option("--timeout", words.limit, "For one call of a daemon (default: 5s)");
    app.set_version_flag("--version", std::string("twinsite ") + TWINSITE_VERSION);
    app.footer(
        "Exit codes: 0 ok, 1 failed, 2 bad usage or configuration, 3 unreachable,\n"
        "            4 refused by a rule, 5 timed out"
    );
}

}  // namespace

int run(int argc, char** argv) {
    Words words;
    CLI::App app("Operate Twinsite: steering between sites, balancing inside them.", "twinsite");
    app.require_subcommand(1);
    add_global(app, words);
    add_switchover(app, words.switchover, words.settings, words.chosen);
    add_gslb(app, words);
    add_slb(app, words);
    add_demo(app, words);
    add_pki(app, words);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& stopped) {
        // Help and version are no errors; everything else is bad usage.
        return app.exit(stopped) == 0 ? ExitCode::exit_ok : ExitCode::exit_usage;
    }
    const auto limit = base::text::parse_duration(words.limit);
    if (!limit || limit->count() < 1) {
        std::cerr << "--timeout: '" << words.limit << "' is no time, like 500ms or 5s\n";
        return ExitCode::exit_usage;
    }
    words.settings.limit = *limit;
    return words.chosen();
}

}  // namespace twinsite::cli
