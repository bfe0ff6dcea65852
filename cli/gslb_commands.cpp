// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_commands.hpp"

#include <cstdio>
#include <cstdlib>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <pwd.h>
#include <unistd.h>

#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/daemon_text.hpp"
#include "cli/gslb_text.hpp"

namespace twinsite::cli {
namespace {

using base::http::percent_encode;

api::Daemon gslb(const Settings& settings) {
    return daemon(settings, "gslb", "TWINSITE_GSLB_SOCKET");
}

// Under sudo the person, not root: the author of an override is somebody to ask.
std::string current_user() {
    if (const auto* user = std::getenv("SUDO_USER"); user != nullptr && *user != '\0') return user;
    if (const auto* entry = getpwuid(getuid()); entry != nullptr) return entry->pw_name;
    return "uid " + std::to_string(getuid());
}

// The colon of "site:east" is no separator in a path; the rest is escaped.
std::string override_path(const std::string& service, const std::string& object) {
    const std::string site = "site:";
    const auto last = object.starts_with(site) ? site + percent_encode(object.substr(site.size()))
                                               : percent_encode(object);
    return "/api/v1/overrides/" + percent_encode(service) + "/" + last;
}

}  // namespace

ExitCode gslb_explain(const Settings& settings, const ExplainQuery& query) {
    auto target = "/api/v1/explain?name=" + percent_encode(query.name) +
                  "&type=" + percent_encode(query.type);
    if (!query.client.empty()) target += "&client=" + percent_encode(query.client);
    if (!query.subnet.empty()) target += "&subnet=" + percent_encode(query.subnet);
    return show(settings, gslb(settings).call("GET", target), explain_text);
}

ExitCode gslb_override_set(const Settings& settings, const OverrideWish& wish) {
    boost::json::object body;
    body["state"] = wish.state;
    body["reason"] = wish.reason;
    body["author"] = wish.author.empty() ? current_user() : wish.author;
    if (!wish.ttl.empty()) {
        const auto ttl = base::text::parse_duration(wish.ttl);
        if (!ttl || *ttl < std::chrono::seconds(1)) {
            std::fprintf(stderr, "--ttl: '%s' is not a time of 1s or more\n", wish.ttl.c_str());
            return ExitCode::exit_usage;
        }
        body["ttl_s"] = std::chrono::duration_cast<std::chrono::seconds>(*ttl).count();
    }
    if (wish.force) body["force"] = true;
    const auto target = override_path(wish.service, wish.object);
    const auto answer = gslb(settings).call("PUT", target, boost::json::serialize(body));
    return show(settings, answer, override_set_text);
}

ExitCode gslb_override_clear(const Settings& settings, const OverrideWish& wish) {
    auto target = override_path(wish.service, wish.object);
    if (wish.force) target += "?force=1";
    const auto answer = gslb(settings).call("DELETE", target);
    return show(settings, answer, override_cleared_text);
}

ExitCode gslb_override_list(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/overrides"), overrides_text);
}

ExitCode gslb_stats(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/stats"), counters_text);
}

ExitCode gslb_status(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/status"), gslb_status_text);
}

ExitCode gslb_reload(const Settings& settings) {
    constexpr unsigned kAccepted = 202;
    auto answer = gslb(settings).call("POST", "/api/v1/reload");
    if (answer.status == kAccepted) {
        answer.exit = ExitCode::exit_timed_out;
        answer.failure = "still reading; the daemon's log tells what comes of it";
    }
    return show(settings, answer, reload_text);
}

}  // namespace twinsite::cli
