// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/commands.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <sys/un.h>

#include "cli/demo/place.hpp"
#include "cli/demo/report.hpp"
#include "cli/demo/scene.hpp"

namespace twinsite::cli::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kReadyLimit = 30s;
constexpr auto kStopLimit = 5s;
constexpr int kLogLines = 8;

ExitCode fail(ExitCode exit, const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return exit;
}

std::string join_names(const std::vector<PartState>& states) {
    std::string out;
    for (const auto& state : states) out += (out.empty() ? "" : ", ") + state.part.name;
    return out;
}

std::vector<PartState> only(
    const std::vector<PartState>& states, const Selection& selection, Life life
) {
    std::vector<PartState> out;
    for (const auto& state : states)
        if (selection.covers(state.part) && state.life == life) out.push_back(state);
    return out;
}

// SIGTERM first (a stopped process must be continued to see it), SIGKILL for what stays.
void end_all(const Scene& scene) {
    const auto states = scene.lives();
    for (const auto& state : states) {
        if (state.life == Life::dead) continue;
        send(*state.record, SIGTERM);
        if (state.life == Life::stopped) send(*state.record, SIGCONT);
    }
    const auto end = std::chrono::steady_clock::now() + kStopLimit;
    for (const auto& state : states) {
        if (state.life == Life::dead) continue;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now()
        );
        if (wait_for_death(*state.record, std::max(left, 0ms))) continue;
        std::fprintf(stderr, "%s did not end by itself: killed\n", state.part.name.c_str());
        send(*state.record, SIGKILL);
        wait_for_death(*state.record, 2s);
    }
    scene.forget();
}

// Why the parts are not as wanted, with the ends of their logs, for a start or heal that failed.
ExitCode explain_faults(
    const Scene& scene, const std::vector<PartState>& states, const Selection& selection
) {
    auto exit = ExitCode::exit_timed_out;
    for (const auto& state : states) {
        if (state.fault.empty() || !selection.covers(state.part)) continue;
        if (state.life == Life::dead) exit = ExitCode::exit_failed;
        std::fprintf(
            stderr,
            "%s: %s\n%s",
            state.part.name.c_str(),
            state.fault.c_str(),
            scene.end_of_log(state.part, kLogLines).c_str()
        );
    }
    return exit;
}

ExitCode finish(const Scene& scene, const Options& options, const std::vector<PartState>& states) {
    if (options.json) print_json(scene, states);
    return ExitCode::exit_ok;
}

ExitCode launch_all(const Scene& scene) {
    for (const auto& part : scene.layout().parts()) {
        const auto launched = scene.launch_part(part);
        if (launched) continue;
        end_all(scene);
        return fail(
            ExitCode::exit_failed,
            "cannot start " + part.name + ": " + launched.error().message() +
                " (its program must lie beside this one, and the state folder be writable)"
        );
    }
    return ExitCode::exit_ok;
}

// What must hold before anything is written or started. exit_ok: go on.
ExitCode check_start(const Scene& scene) {
    const auto socket = scene.layout().folder("run") / "gslb-west.sock";
    if (socket.string().size() >= sizeof(sockaddr_un::sun_path))
        return fail(
            ExitCode::exit_usage,
            "the state folder's path is too long for Unix sockets: " + socket.string()
        );
    if (const auto fault = occupied_address(scene.layout()); !fault.empty())
        return fail(
            ExitCode::exit_refused,
            "an address of the demo is taken: " + fault +
                "\nDoes another demo run? Stop it, or choose other addresses: --net 127.50"
        );
    return ExitCode::exit_ok;
}

ExitCode already_there(const Scene& scene, const Options& options) {
    const auto states = scene.look();
    if (!all_good(states)) {
        if (!options.json) print_table(states);
        return fail(
            ExitCode::exit_refused,
            "A demo runs in " + scene.layout().state().string() +
                ", but not all of it works. `twinsite demo heal" + extra_arguments(scene.layout()) +
                "` mends it, `twinsite demo stop" + extra_arguments(scene.layout()) + "` ends it."
        );
    }
    if (options.json) return finish(scene, options, states);
    std::printf("The demo runs already in %s.\n\n", scene.layout().state().c_str());
    print_table(states);
    print_hints(scene);
    return ExitCode::exit_ok;
}

bool anything_alive(const Scene& scene) {
    const auto states = scene.lives();
    return std::any_of(states.begin(), states.end(), [](const PartState& state) {
        return state.life != Life::dead;
    });
}

}  // namespace

ExitCode start(const Options& options) {
    const auto place = find_place(options);
    if (!place.fault.empty()) return fail(ExitCode::exit_usage, place.fault);
    std::error_code failed;
    fs::create_directories(place.state, failed);
    if (failed)
        return fail(
            ExitCode::exit_failed, "cannot make " + place.state.string() + ": " + failed.message()
        );
    const auto lock = SceneLock::take(place.state);
    if (!lock) return fail(ExitCode::exit_refused, busy_text(place.state));

    const Scene scene(Layout(place.state, place.net), programs_folder());
    if (anything_alive(scene)) {
        if (place.noted && *place.noted != place.net)
            return fail(
                ExitCode::exit_refused,
                "A demo runs in " + place.state.string() + " with --net " + *place.noted +
                    ". Stop it first, or give this one its own --state folder."
            );
        return already_there(scene, options);
    }
    if (const auto exit = check_start(scene); exit != ExitCode::exit_ok) return exit;
    const auto prepared = scene.prepare();
    if (!prepared.empty())
        return fail(
            ExitCode::exit_failed, "cannot write below " + place.state.string() + ": " + prepared
        );

    const auto begin = std::chrono::steady_clock::now();
    if (const auto exit = launch_all(scene); exit != ExitCode::exit_ok) return exit;
    const auto states = scene.wait_until_good({}, kReadyLimit);
    if (!all_good(states)) {
        const auto exit = explain_faults(scene, states, {});
        end_all(scene);
        return exit;
    }
    if (options.json) return finish(scene, options, states);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf(
        "The demo runs: two sites, ready after %.1f s. Its files are in %s.\n\n",
        took.count(),
        place.state.c_str()
    );
    print_table(states);
    print_hints(scene);
    return ExitCode::exit_ok;
}

ExitCode stop(const Options& options) {
    const auto place = find_place(options);
    if (!place.fault.empty()) return fail(ExitCode::exit_usage, place.fault);
    const Scene scene(Layout(place.state, place.noted.value_or(place.net)), programs_folder());
    if (!place.noted && !anything_alive(scene)) {
        if (!options.json) std::printf("No demo runs in %s.\n", place.state.c_str());
        return ExitCode::exit_ok;
    }
    const auto lock = SceneLock::take(place.state);
    if (!lock) return fail(ExitCode::exit_refused, busy_text(place.state));
    end_all(scene);
    if (!options.json)
        std::printf("The demo is stopped; its logs stay in %s.\n", (place.state / "log").c_str());
    return ExitCode::exit_ok;
}

ExitCode status(const Options& options) {
    const auto place = find_place(options);
    if (!place.fault.empty()) return fail(ExitCode::exit_usage, place.fault);
    if (!place.noted) return fail(ExitCode::exit_failed, absent_text(place.state));
    const Scene scene(Layout(place.state, *place.noted), programs_folder());
    const auto states = scene.look();
    if (options.json)
        print_json(scene, states);
    else
        print_table(states);
    return all_good(states) ? ExitCode::exit_ok : ExitCode::exit_failed;
}

ExitCode break_parts(const Options& options, const std::vector<std::string>& words, Violence how) {
    const auto place = find_place(options);
    if (!place.fault.empty()) return fail(ExitCode::exit_usage, place.fault);
    const auto selection = parse_selection(words);
    if (!selection || words.empty()) return fail(ExitCode::exit_usage, selection_usage());
    if (!place.noted) return fail(ExitCode::exit_failed, absent_text(place.state));
    const auto lock = SceneLock::take(place.state);
    if (!lock) return fail(ExitCode::exit_refused, busy_text(place.state));

    const Scene scene(Layout(place.state, *place.noted), programs_folder());
    const auto before = scene.lives();
    auto targets = only(before, *selection, Life::running);
    if (how == Violence::kill)
        for (auto& frozen : only(before, *selection, Life::stopped)) targets.push_back(frozen);
    // All at once, as when the power goes; only then is looked after.
    const int signal = how == Violence::kill ? SIGKILL : SIGSTOP;
    for (const auto& target : targets) send(*target.record, signal);
    if (how == Violence::kill)
        for (const auto& target : targets) wait_for_death(*target.record, 5s);
    if (options.json) return finish(scene, options, scene.lives());
    if (targets.empty())
        std::printf("Nothing to break: it is broken already.\n");
    else
        std::printf(
            "%s: %s\n", how == Violence::kill ? "Killed" : "Frozen", join_names(targets).c_str()
        );
    return ExitCode::exit_ok;
}

ExitCode heal(const Options& options, const std::vector<std::string>& words) {
    const auto place = find_place(options);
    if (!place.fault.empty()) return fail(ExitCode::exit_usage, place.fault);
    const auto selection = parse_selection(words);
    if (!selection) return fail(ExitCode::exit_usage, selection_usage());
    if (!place.noted) return fail(ExitCode::exit_failed, absent_text(place.state));
    const auto lock = SceneLock::take(place.state);
    if (!lock) return fail(ExitCode::exit_refused, busy_text(place.state));

    const Scene scene(Layout(place.state, *place.noted), programs_folder());
    const auto before = scene.lives();
    const auto frozen = only(before, *selection, Life::stopped);
    const auto dead = only(before, *selection, Life::dead);
    for (const auto& state : frozen) send(*state.record, SIGCONT);
    for (const auto& state : dead) {
        const auto launched = scene.launch_part(state.part);
        if (!launched)
            return fail(
                ExitCode::exit_failed,
                "cannot start " + state.part.name + ": " + launched.error().message()
            );
    }
    const auto states = scene.wait_until_good(*selection, kReadyLimit);
    const auto good = std::all_of(states.begin(), states.end(), [&](const PartState& state) {
        return !selection->covers(state.part) || state.fault.empty();
    });
    if (!good) return explain_faults(scene, states, *selection);
    if (options.json) return finish(scene, options, states);
    if (!dead.empty()) std::printf("Started again: %s\n", join_names(dead).c_str());
    if (!frozen.empty()) std::printf("Continued: %s\n", join_names(frozen).c_str());
    if (dead.empty() && frozen.empty()) std::printf("Nothing was broken.\n");
    return ExitCode::exit_ok;
}

}  // namespace twinsite::cli::demo
