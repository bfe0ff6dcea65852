// SPDX-License-Identifier: Apache-2.0
#include "cli/api/switchover.hpp"

#include <cstdlib>
#include <filesystem>

#include <boost/json/value.hpp>

#include "base/config/cursor.hpp"
#include "base/http/client.hpp"
#include "base/text/text.hpp"
#include "cli/output/value.hpp"
#include "cli/switchover_text.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::cli::api {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".crt";

void take_from_environment(std::string& word, const char* variable) {
    if (!word.empty()) return;
    if (const auto* set = std::getenv(variable); set != nullptr) word = set;
}

/// Gives what is wrong with the file; a file that is not there is fine.
std::string take_from_file(SwitchoverPlace& place) {
    const auto* home = std::getenv("HOME");
    if (!home || (!place.servers.empty() && !place.tls.empty())) return {};
    const auto file = fs::path(home) / ".config" / "twinsite.yaml";
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return {};
    const auto document = base::config::Document::load(file.string());
    auto root = document.root();
    const auto servers = root.optional("server", std::string());
    const auto tls = root.optional("tls", std::string());
    root.finish();
    if (!document.findings().empty()) return to_string(document.findings().front());
    if (place.servers.empty()) place.servers = servers;
    if (place.tls.empty()) place.tls = tls;
    return {};
}

bool is_switchover(std::string_view uri) {
    const auto identity = wire::contract::parse_identity(uri);
    return identity && identity->role == "switchover";
}

/// The rule that refused, and the gates that are not met.
std::string rules_of(const std::string& body) {
    const auto problem = output::parse_body(body);
    const auto rule = output::text_at(problem, "rule");
    std::string out = rule.empty() ? "" : "\n  rule: " + rule;
    for (const auto* gate : output::elements(output::member(problem, "gates")))
        if (output::text_at(*gate, "ok") == "false")
            out += "\n  " + clean(output::text_at(*gate, "code")) + ": has " +
                   clean(output::text_at(*gate, "have")) + ", needs " +
                   clean(output::text_at(*gate, "need"));
    return out;
}

ExitCode exit_of(const base::Error& error) {
    return error == boost::system::errc::timed_out ? ExitCode::exit_timed_out
                                                   : ExitCode::exit_unreachable;
}

}  // namespace

Switchover::Switchover(SwitchoverPlace place, std::chrono::milliseconds limit) : limit_(limit) {
    take_from_environment(place.servers, "TWINSITE_SERVER");
    take_from_environment(place.tls, "TWINSITE_TLS");
    wrong_ = take_from_file(place);
    if (!wrong_.empty()) return;
    if (place.servers.empty() || place.tls.empty()) {
        wrong_ =
            "name the server and your certificate: --server IP:8444 --tls DIR/NAME.crt, or "
            "TWINSITE_SERVER and TWINSITE_TLS, or ~/.config/twinsite.yaml";
        return;
    }
    for (const auto word : base::text::split(place.servers, ',')) {
        const auto server = base::net::parse_endpoint(base::text::trim(word));
        if (!server || server->port == 0) {
            wrong_ = "'" + std::string(word) + "' is not a server, like 127.0.3.30:8444";
            return;
        }
        servers_.push_back(*server);
    }
    stem_ = place.tls;
    if (stem_.ends_with(kSuffix)) stem_.resize(stem_.size() - std::string_view(kSuffix).size());
    folder_ = fs::path(stem_).parent_path().string();
    if (folder_.empty()) folder_ = ".";
}

Answer Switchover::call_one(const base::net::Endpoint& server, const base::http::Request& request)
    const {
    auto target = base::http::Target::at_tcp(server);
    base::http::TlsClient tls;
    tls.ca = folder_ + "/ca.crt";
    tls.server_name = to_string(server.address);
    tls.certificate = stem_ + kSuffix;
    tls.key = stem_ + ".key";
    tls.accept_identity = is_switchover;
    std::error_code ignored;
    if (fs::exists(folder_ + "/crl.pem", ignored)) tls.crl = folder_ + "/crl.pem";
    target.tls = tls;
    const auto response = base::http::request(target, request, limit_);
    Answer out;
    if (!response) {
        out.exit = exit_of(response.error());
        out.failure = "switchover at " + to_string(server) + ": " + response.error().message();
        return out;
    }
    out.status = response->status;
    out.body = response->body;
    out.exit = exit_of_status(response->status);
    if (out.exit != ExitCode::exit_ok)
        out.failure = "switchover: " + describe_problem(response->status, response->body) +
                      rules_of(response->body);
    return out;
}

Answer Switchover::call(
    const std::string& method,
    const std::string& target,
    const std::string& body,
    const std::string& key
) const {
    Answer out;
    if (!wrong_.empty()) {
        out.exit = ExitCode::exit_usage;
        out.failure = wrong_;
        return out;
    }
    base::http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers.emplace_back("Accept", "application/json");
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    if (!key.empty()) request.headers.emplace_back("Idempotency-Key", key);
    std::string failures;
    for (const auto& server : servers_) {
        out = call_one(server, request);
        if (out.status != 0) return out;
        failures += (failures.empty() ? "" : "\n") + out.failure;
        // After a time-out nobody knows whether it was done: another server must not do it again.
        if (out.exit == ExitCode::exit_timed_out && method != "GET") break;
    }
    out.failure = failures;
    return out;
}

}  // namespace twinsite::cli::api
