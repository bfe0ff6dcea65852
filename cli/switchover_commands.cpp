// SPDX-License-Identifier: Apache-2.0
#include "cli/switchover_commands.hpp"

#include <cstdio>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/output/value.hpp"
#include "cli/switchover_text.hpp"

namespace twinsite::cli {
namespace {

using base::http::percent_encode;

api::Switchover server(const Settings& settings, const SwitchoverWords& words) {
    return {words.place, settings.limit};
}

std::string scenario_path(const std::string& name) {
    return "/api/v1/scenarios/" + percent_encode(name);
}

}  // namespace

ExitCode switchover_status(const Settings& settings, const SwitchoverWords& words) {
    return show(settings, server(settings, words).call("GET", "/api/v1/overview"), overview_text);
}

ExitCode switchover_hosts(const Settings& settings, const SwitchoverWords& words) {
    std::string target = "/api/v1/hosts?limit=10000";
    if (!words.site.empty()) target += "&site=" + percent_encode(words.site);
    return show(settings, server(settings, words).call("GET", target), hosts_text);
}

ExitCode switchover_why(const Settings& settings, const SwitchoverWords& words) {
    const auto target = scenario_path(words.scenario) + "/why";
    return show(settings, server(settings, words).call("GET", target), why_text);
}

ExitCode switchover_mode(const Settings& settings, const SwitchoverWords& words) {
    boost::json::object body{{"mode", words.mode}, {"reason", words.reason}};
    const auto target = scenario_path(words.scenario) + "/mode";
    return show(
        settings,
        server(settings, words).call("PUT", target, boost::json::serialize(body)),
        mode_text
    );
}

ExitCode switchover_pause(const Settings& settings, const SwitchoverWords& words) {
    boost::json::object body{{"reason", words.reason}};
    if (!words.until.empty()) {
        const auto until = base::text::parse_duration(words.until);
        if (!until || *until < std::chrono::seconds(1)) {
            std::fprintf(stderr, "--until: '%s' is no time, like 10m or 2h\n", words.until.c_str());
            return ExitCode::exit_usage;
        }
        body["until_s"] = std::chrono::ceil<std::chrono::seconds>(*until).count();
    }
    return show(
        settings,
        server(settings, words).call("PUT", "/api/v1/pause", boost::json::serialize(body)),
        pause_text
    );
}

ExitCode switchover_unpause(const Settings& settings, const SwitchoverWords& words) {
    return show(settings, server(settings, words).call("DELETE", "/api/v1/pause"), unpause_text);
}

ExitCode switchover_audit_list(const Settings& settings, const SwitchoverWords& words) {
    std::string target = "/api/v1/audit?limit=" + std::to_string(words.limit);
    if (words.after > 0) target += "&after=" + std::to_string(words.after);
    return show(settings, server(settings, words).call("GET", target), audit_text);
}

ExitCode switchover_audit_verify(const Settings& settings, const SwitchoverWords& words) {
    const auto answer = server(settings, words).call("GET", "/api/v1/audit/verify");
    const auto exit = show(settings, answer, audit_verify_text);
    if (exit != ExitCode::exit_ok) return exit;
    const auto whole = output::text_at(output::parse_body(answer.body), "ok") == "true";
    return whole ? ExitCode::exit_ok : ExitCode::exit_failed;
}

}  // namespace twinsite::cli
