// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "base/crypto/authority.hpp"
#include "base/http/client.hpp"
#include "base/http/server.hpp"
#include "switchover/api/api.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/switchover/api/fake_backend.hpp"

namespace twinsite::switchover::api {

/// Identities of the tests' certificates.
inline constexpr const char* kIf1 = "twinsite://east/agent/if1";
inline constexpr const char* kProc1 = "twinsite://east/agent/proc1";
inline constexpr const char* kMonitor = "twinsite://east/monitor/mon-east";
inline constexpr const char* kOperator = "twinsite://east/operator/li";
inline constexpr const char* kServer = "twinsite://arbiter/switchover/sw";

/// What a console's page keeps: cookie and token.
struct Login {
    std::string cookie;
    std::string csrf;
};

/// Both APIs on real TLS listeners of 127.0.0.1, with a fake backend. The servers' thread is
/// `loop`; tests call from their own.
class World {
public:
    /// `assets`: name and text of the console's files.
    explicit World(const std::map<std::string, std::string>& assets = {});
    ~World();

    /// With the certificate of `identity`; empty: without one.
    base::Result<base::http::Response> machine(
        const std::string& identity, const base::http::Request& request
    );
    base::Result<base::http::Response> console(base::http::Request request);
    base::Result<base::http::Response> console(const Login& login, base::http::Request request);
    /// Adds a user with this password and signs in.
    Login sign_in(const std::string& user, const std::string& role, bool must_change = false);
    void add_user(const std::string& user, const std::string& role, bool must_change);
    base::http::Target machine_target(const std::string& identity);
    base::http::Target console_target() const;

    /// Runs on the servers' thread.
    template <class Call>
    auto on_loop(Call call) {
        return loop_.on_loop(std::move(call));
    }
    void advance(std::chrono::milliseconds by) { ahead_ms_ += by.count(); }
    /// The last audit lines as "who action object result", oldest first.
    std::vector<std::string> audit();

    tests::TemporaryFolder folder;
    FakeBackend backend;  // on the loop only
    std::optional<fleet::Fleet> fleet;
    std::optional<fleet::Commands> commands;
    std::optional<Api> api;
    std::vector<wire::contract::CommandResult> results;

    static constexpr const char* kPassword = "correct horse battery";

private:
    void write(const std::string& name, const std::string& text) const;
    void issue(const std::string& uri, const std::string& name);
    fleet::Moment moment() const;

    base::crypto::Authority authority_;
    std::map<std::string, std::string> issued_;  // identity -> file name
    std::atomic<std::int64_t> ahead_ms_{0};
    tests::Loop loop_;
    base::http::Router machine_routes_;
    base::http::Router console_routes_;
    std::optional<base::http::Server> machine_server_;
    std::optional<base::http::Server> console_server_;
    base::net::Endpoint machine_at_;
    base::net::Endpoint console_at_;
};

base::http::Request get(const std::string& target);
/// With a JSON body.
base::http::Request ask(
    const std::string& method, const std::string& target, const std::string& body
);
/// The body as JSON; null when it is none.
boost::json::value body_of(const base::Result<base::http::Response>& response);
/// "503 store", "200"; "error: ..." when there was no answer.
std::string outcome(const base::Result<base::http::Response>& response);

}  // namespace twinsite::switchover::api
