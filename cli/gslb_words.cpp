// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_words.hpp"

#include <tuple>

#include <CLI/CLI.hpp>

namespace twinsite::cli {
namespace {

using Command = ExitCode (*)(const Settings&, const GslbWords&);

/// Adds commands that remember themselves as the chosen one.
class Adder {
public:
    Adder(GslbWords& words, const Settings& settings, std::function<ExitCode()>& chosen)
        : words_(words), settings_(settings), chosen_(chosen) {}

    CLI::App* add(CLI::App& parent, const char* name, const char* text, Command command) const {
        auto* out = parent.add_subcommand(name, text);
        out->fallthrough();
        out->callback([&words = words_, &settings = settings_, &chosen = chosen_, command] {
            chosen = [&words, &settings, command] { return command(settings, words); };
        });
        return out;
    }

private:
    GslbWords& words_;
    const Settings& settings_;
    std::function<ExitCode()>& chosen_;
};

void add_object(CLI::App& command, OverrideWish& wish) {
    command.add_option("SERVICE", wish.service, "A service of the configuration")->required();
    command.add_option("OBJECT", wish.object, "A target's name, or site:NAME")->required();
}

void add_why(CLI::App& command, OverrideWish& wish) {
    command.add_option("--reason", wish.reason, "Why; kept and shown")->required();
    command.add_option("--author", wish.author, "Who (default: the user running this)");
    command.add_option("--ttl", wish.ttl, "Ends by itself after this time: 30m, 2h, 1d");
}

void add_reach(CLI::App& command, OverrideWish& wish) {
    command.add_flag("--force", wish.force, "Even when no healthy site would be left");
    command.add_flag("--only-here", wish.only_here, "At this gslb alone, not in its whole group");
}

void add_override(CLI::App& gslb, GslbWords& words, const Adder& adder) {
    auto* group =
        gslb.add_subcommand("override", "Force targets or sites by hand, above all health");
    group->require_subcommand(1);
    group->fallthrough();
    auto* set = adder.add(
        *group,
        "set",
        "Put an override in force",
        [](const Settings& settings, const GslbWords& w) {
            return gslb_override_set(settings, w.wish);
        }
    );
    add_object(*set, words.wish);
    set->add_option("STATE", words.wish.state, "What to force")
        ->required()
        ->check(CLI::IsMember({"up", "down", "drain"}));
    add_why(*set, words.wish);
    add_reach(*set, words.wish);

    auto* clear = adder.add(
        *group,
        "clear",
        "Take an override back",
        [](const Settings& settings, const GslbWords& w) {
            return gslb_override_clear(settings, w.wish);
        }
    );
    add_object(*clear, words.wish);
    clear->add_option("--author", words.wish.author, "Who (default: the user running this)");
    add_reach(*clear, words.wish);

    adder.add(
        *group,
        "list",
        "Show the overrides in force",
        [](const Settings& settings, const GslbWords&) { return gslb_override_list(settings); }
    );
    auto* drain = adder.add(
        gslb,
        "drain",
        "No new clients for a target or site; short for `override set ... drain`",
        [](const Settings& settings, const GslbWords& w) {
            auto wish = w.wish;
            wish.state = "drain";
            return gslb_override_set(settings, wish);
        }
    );
    add_object(*drain, words.wish);
    add_why(*drain, words.wish);
    add_reach(*drain, words.wish);
}

void add_questions(CLI::App& group, GslbWords& words, const Adder& adder) {
    auto* explain = adder.add(
        group,
        "explain",
        "Why a client gets which answer",
        [](const Settings& settings, const GslbWords& w) {
            return gslb_explain(settings, w.explain);
        }
    );
    explain->add_option("NAME", words.explain.name, "The name asked for")->required();
    explain->add_option("TYPE", words.explain.type, "The record type (default: A)");
    explain->add_option("--client", words.explain.client, "Address the query comes from");
    explain->add_option(
        "--subnet", words.explain.subnet, "Client subnet in the query, 10.1.0.0/16"
    );
    auto* simulate = adder.add(
        group,
        "simulate",
        "What every client class would get",
        [](const Settings& settings, const GslbWords& w) {
            return gslb_simulate(settings, w.simulate);
        }
    );
    auto& what = words.simulate;
    for (const auto& [option, list, text] :
         {std::tuple("--down", &what.down, "A site, service or SERVICE/TARGET taken to be down"),
          std::tuple("--up", &what.up, "The same, taken to be up"),
          std::tuple("--drain", &what.drain, "The same, drained")})
        simulate->add_option(option, *list, text)->delimiter(',')->allow_extra_args(false);
    simulate->add_option("--name", what.name, "Only this steered name");

    const auto plain = [&](const char* name, const char* text, auto command) {
        adder.add(group, name, text, command);
    };
    plain("status", "Zones, targets, health", [](const Settings& settings, const GslbWords&) {
        return gslb_status(settings);
    });
    plain("zones", "The zones", [](const Settings& settings, const GslbWords&) {
        return gslb_zones(settings);
    });
    plain("health", "Every check of every target", [](const Settings& settings, const GslbWords&) {
        return gslb_health(settings);
    });
    plain(
        "peers",
        "The other gslbs: in sync, behind, stale or forked",
        [](const Settings& settings, const GslbWords&) { return gslb_peers(settings); }
    );
    plain("stats", "Counters", [](const Settings& settings, const GslbWords&) {
        return gslb_stats(settings);
    });
    plain("reload", "Read the configuration again", [](const Settings& settings, const GslbWords&) {
        return gslb_reload(settings);
    });
    plain("versions", "What was published", [](const Settings& settings, const GslbWords&) {
        return gslb_versions(settings);
    });
}

void add_intent(CLI::App& group, GslbWords& words, const Adder& adder) {
    auto& intent = words.intent;
    auto* diff = adder.add(
        group,
        "diff",
        "What publishing a folder would change",
        [](const Settings& settings, const GslbWords& w) { return gslb_diff(settings, w.intent); }
    );
    auto* apply = adder.add(
        group,
        "apply",
        "Check a folder, show what changes, publish it to all gslbs",
        [](const Settings& settings, const GslbWords& w) { return gslb_apply(settings, w.intent); }
    );
    for (auto* command : {diff, apply})
        command->add_option("DIR", intent.folder, "Folder with intent.yaml")->required();
    apply->add_flag("--yes", intent.yes, "Publish without a question");
    auto* rollback = adder.add(
        group,
        "rollback",
        "Publish an earlier version again, as a new one",
        [](const Settings& settings, const GslbWords& w) {
            return gslb_rollback(settings, w.intent);
        }
    );
    rollback->add_option("VERSION", intent.version, "Such as 1.4 (default: the one before)");
    for (auto* command : {apply, rollback}) {
        command->add_option("--reason", intent.reason, "Why; kept and shown")->required();
        command->add_option("--author", intent.author, "Who (default: the user running this)");
        command->add_flag(
            "--take-authorship",
            intent.take_over,
            "Publish here although another gslb is the author; what that one publishes from now on "
            "is refused"
        );
    }
}

void add_keys_on_disk(CLI::App& group, GslbWords& words, const Adder& adder) {
    auto* create = adder.add(
        group,
        "create",
        "Make the first keys of a zone",
        [](const Settings& settings, const GslbWords& w) { return keys_create(settings, w.keys); }
    );
    create->add_option("ZONE", words.keys.zone, "The zone")->required();
    create->add_option("--folder", words.keys.folder, "Where the keys are kept")->required();
    create->add_flag("--single", words.keys.single, "One key for everything, in place of two");

    auto* presign = adder.add(
        group,
        "presign",
        "Sign the set of keys where the KSK is, for a server without it",
        [](const Settings& settings, const GslbWords& w) { return keys_presign(settings, w.keys); }
    );
    presign->add_option("ZONE", words.keys.zone, "The zone")->required();
    presign->add_option("--folder", words.keys.folder, "Where the KSK is")->required();
    presign->add_option("--valid", words.keys.valid, "How long the signatures hold (default: 30d)");
}

void add_keys(CLI::App& gslb, GslbWords& words, const Adder& adder) {
    auto* group = gslb.add_subcommand("keys", "Keys of the zones that are signed here");
    group->require_subcommand(1);
    group->fallthrough();
    add_keys_on_disk(*group, words, adder);
    auto* list = adder.add(
        *group,
        "list",
        "Keys and what a change waits for",
        [](const Settings& settings, const GslbWords& w) { return keys_list(settings, w.keys); }
    );
    list->add_option("ZONE", words.keys.zone, "The zone (default: all)");

    auto* roll = adder.add(
        *group,
        "roll",
        "Begin to change a key",
        [](const Settings& settings, const GslbWords& w) { return keys_roll(settings, w.keys); }
    );
    roll->add_option("ZONE", words.keys.zone, "The zone")->required();
    roll->add_option("ROLE", words.keys.role, "Which key")
        ->required()
        ->check(CLI::IsMember({"zsk", "ksk", "csk"}));
    roll->add_flag("--automatic", words.keys.automatic, "Take each step when its time has come");

    auto* step = adder.add(
        *group,
        "step",
        "Take the next step of a change",
        [](const Settings& settings, const GslbWords& w) { return keys_step(settings, w.keys); }
    );
    step->add_option("ZONE", words.keys.zone, "The zone")->required();
    step->add_flag("--ds-seen", words.keys.ds_seen, "The parent's DS shows the new key alone");

    auto* cancel = adder.add(
        *group,
        "cancel",
        "Take the new key back",
        [](const Settings& settings, const GslbWords& w) { return keys_cancel(settings, w.keys); }
    );
    cancel->add_option("ZONE", words.keys.zone, "The zone")->required();
}

}  // namespace

void add_gslb(
    CLI::App& app, GslbWords& words, const Settings& settings, std::function<ExitCode()>& chosen
) {
    auto* group = app.add_subcommand("gslb", "Ask or change a twinsite-gslb (steering by DNS)");
    group->require_subcommand(1);
    group->fallthrough();
    const Adder adder(words, settings, chosen);
    add_questions(*group, words, adder);
    add_override(*group, words, adder);
    add_intent(*group, words, adder);
    add_keys(*group, words, adder);
}

}  // namespace twinsite::cli
