// SPDX-License-Identifier: Apache-2.0
#include "cli/slb_commands.hpp"

#include <cstdio>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/http/message.hpp"
#include "base/net/endpoint.hpp"
#include "cli/daemon_text.hpp"
#include "cli/slb_text.hpp"

namespace twinsite::cli {
namespace {

using base::http::percent_encode;

api::Daemon slb(const Settings& settings) {
    return daemon(settings, "slb", "TWINSITE_SLB_SOCKET");
}

std::string blade_path(const std::string& name) {
    return "/api/v1/blades/" + percent_encode(name);
}

std::string done_text(const std::string&) {
    return "done; `twinsite slb blades` shows the blades\n";
}

}  // namespace

ExitCode slb_blades(const Settings& settings) {
    return show(settings, slb(settings).call("GET", "/api/v1/blades"), blades_text);
}

ExitCode slb_add(const Settings& settings, const std::string& name, const std::string& address) {
    const auto endpoint = base::net::parse_endpoint(address);
    if (!endpoint || endpoint->port == 0) {
        std::fprintf(
            stderr,
            "'%s' is not an address and port, like 192.0.2.31:3868 or [2001:db8::31]:3868\n",
            address.c_str()
        );
        return ExitCode::exit_usage;
    }
    boost::json::object body;
    body["name"] = name;
    body["address"] = address;
    const auto answer = slb(settings).call("POST", "/api/v1/blades", boost::json::serialize(body));
    return show(settings, answer, done_text);
}

ExitCode slb_drain(const Settings& settings, const std::string& name) {
    return show(settings, slb(settings).call("POST", blade_path(name) + "/drain"), done_text);
}

ExitCode slb_activate(const Settings& settings, const std::string& name) {
    return show(settings, slb(settings).call("POST", blade_path(name) + "/activate"), done_text);
}

ExitCode slb_remove(const Settings& settings, const std::string& name) {
    return show(settings, slb(settings).call("DELETE", blade_path(name)), done_text);
}

ExitCode slb_remove_by_force(const Settings& settings, const std::string& name) {
    return show(settings, slb(settings).call("DELETE", blade_path(name) + "?force=1"), done_text);
}

ExitCode slb_stats(const Settings& settings) {
    return show(settings, slb(settings).call("GET", "/api/v1/stats"), counters_text);
}

ExitCode slb_status(const Settings& settings) {
    return show(settings, slb(settings).call("GET", "/api/v1/status"), slb_status_text);
}

ExitCode slb_reload(const Settings& settings) {
    return show(settings, slb(settings).call("POST", "/api/v1/reload"), reload_text);
}

}  // namespace twinsite::cli
