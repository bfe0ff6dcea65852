// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/crypto/secret.hpp"
#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/output/value.hpp"
#include "cli/switchover_commands.hpp"
#include "cli/switchover_text.hpp"

namespace twinsite::cli {
namespace {

using Clock = std::chrono::steady_clock;
using base::http::percent_encode;
using output::text_at;

constexpr std::chrono::milliseconds kLookEvery{500};

api::Switchover server(const Settings& settings, const SwitchoverWords& words) {
    return {words.place, settings.limit};
}

std::string run_path(const std::string& id) {
    return "/api/v1/runs/" + percent_encode(id);
}

/// An answer of our own, as a server would give it.
api::Answer failed(ExitCode exit, unsigned status, const std::string& text) {
    api::Answer out;
    out.exit = exit;
    out.status = status;
    out.body = base::http::problem(status, base::http::reason(status), text).body;
    out.failure = text;
    return out;
}

/// The run that was named, or the newest.
api::Answer find_run(const api::Switchover& at, const std::string& id, std::string& found) {
    found = id;
    if (!id.empty()) return {};
    auto answer = at.call("GET", "/api/v1/runs?limit=1");
    if (answer.exit != ExitCode::exit_ok) return answer;
    const auto body = output::parse_body(answer.body);
    const auto runs = output::elements(output::member(body, "runs"));
    if (runs.empty()) return failed(ExitCode::exit_failed, 404, "there is no run yet");
    found = text_at(*runs.front(), "id");
    return {};
}

/// Prints the lines of what changed since the last look.
class Watcher {
public:
    void look(const boost::json::value& run) {
        print("run", text_at(run, "state"), text_at(run, "output"));
        for (const auto* step : output::elements(output::member(run, "steps")))
            print(
                "step " + text_at(*step, "id"), text_at(*step, "state"), text_at(*step, "output")
            );
    }

private:
    void print(const std::string& what, const std::string& state, const std::string& output) {
        auto& last = seen_[what];
        if (state == last || (last.empty() && state == "PENDING")) return;
        last = state;
        auto line = what + ": " + state;
        if (!output.empty()) line += " (" + output + ")";
        std::printf("%s\n", clean(line).c_str());
        std::fflush(stdout);
    }
    std::map<std::string, std::string> seen_;
};

bool succeeded(const boost::json::value& run) {
    const auto state = text_at(run, "state");
    return state == "SUCCEEDED" || state == "SUCCEEDED_WARN";
}

bool has_ended(const boost::json::value& run) {
    return !text_at(run, "ended_wall").empty();
}

/// A server that restarts in the middle of a run is waited for.
ExitCode watch(const Settings& settings, const SwitchoverWords& words, const std::string& id) {
    const auto limit = base::text::parse_duration(words.watch_limit);
    if (!limit) {
        std::fprintf(stderr, "--for: '%s' is no time, like 10m\n", words.watch_limit.c_str());
        return ExitCode::exit_usage;
    }
    const auto until = Clock::now() + *limit;
    const auto at = server(settings, words);
    Watcher watcher;
    for (;;) {
        const auto answer = at.call("GET", run_path(id));
        const bool away = answer.exit == ExitCode::exit_unreachable ||
                          answer.exit == ExitCode::exit_timed_out || answer.status == 503;
        if (!away && answer.exit != ExitCode::exit_ok) return show(settings, answer, run_text);
        const auto run = output::parse_body(answer.body);
        if (!away && settings.format == Format::text) watcher.look(run);
        if (!away && has_ended(run)) {
            show(settings, answer, run_text);
            return succeeded(run) ? ExitCode::exit_ok : ExitCode::exit_failed;
        }
        if (Clock::now() >= until)
            return show(
                settings, failed(ExitCode::exit_timed_out, 504, "the run has not ended"), run_text
            );
        std::this_thread::sleep_for(kLookEvery);
    }
}

/// "RULE=REASON" words as the API wants them; empty with a message when one is wrong.
bool read_overrides(const SwitchoverWords& words, boost::json::array& out) {
    for (const auto& word : words.overrides) {
        const auto sign = word.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == word.size()) {
            std::fprintf(
                stderr, "--override: '%s' is not RULE=REASON, like blind=seen\n", word.c_str()
            );
            return false;
        }
        out.push_back(
            boost::json::object{{"rule", word.substr(0, sign)}, {"reason", word.substr(sign + 1)}}
        );
    }
    return true;
}

}  // namespace

ExitCode run_start(const Settings& settings, const SwitchoverWords& words) {
    boost::json::object body{{"scenario", words.scenario}, {"reason", words.reason}};
    if (!words.variant.empty()) body["variant"] = words.variant;
    boost::json::array overrides;
    if (!read_overrides(words, overrides)) return ExitCode::exit_usage;
    if (!overrides.empty()) body["overrides"] = std::move(overrides);
    const auto at = server(settings, words);
    // One key for both tries: the first may have been done without our hearing of it.
    const auto key = base::crypto::random_token(16);
    const auto text = boost::json::serialize(body);
    auto answer = at.call("POST", "/api/v1/runs", text, key);
    if (answer.exit == ExitCode::exit_timed_out)
        answer = at.call("POST", "/api/v1/runs", text, key);
    if (answer.exit != ExitCode::exit_ok || !words.watch)
        return show(settings, answer, run_started_text);
    const auto id = text_at(output::parse_body(answer.body), "id");
    if (settings.format == Format::text) std::printf("run %s\n", clean(id).c_str());
    return watch(settings, words, id);
}

ExitCode run_list(const Settings& settings, const SwitchoverWords& words) {
    const auto target = "/api/v1/runs?limit=" + std::to_string(words.limit);
    return show(settings, server(settings, words).call("GET", target), runs_text);
}

ExitCode run_show(const Settings& settings, const SwitchoverWords& words) {
    const auto at = server(settings, words);
    std::string id;
    const auto found = find_run(at, words.run, id);
    if (found.exit != ExitCode::exit_ok) return show(settings, found, run_text);
    return show(settings, at.call("GET", run_path(id)), run_text);
}

ExitCode run_watch(const Settings& settings, const SwitchoverWords& words) {
    std::string id;
    const auto found = find_run(server(settings, words), words.run, id);
    if (found.exit != ExitCode::exit_ok) return show(settings, found, run_text);
    return watch(settings, words, id);
}

ExitCode run_order(const Settings& settings, const SwitchoverWords& words, const char* verb) {
    boost::json::object body;
    if (!words.reason.empty()) body["reason"] = words.reason;
    if (!words.step.empty()) body["step"] = words.step;
    if (!words.answer.empty()) body["answer"] = words.answer;
    const auto target = run_path(words.run) + "/" + verb;
    return show(
        settings,
        server(settings, words).call("POST", target, boost::json::serialize(body)),
        run_text
    );
}

}  // namespace twinsite::cli
