// SPDX-License-Identifier: Apache-2.0
#include "tests/switchover/api/world.hpp"

#include <filesystem>
#include <fstream>

#include <boost/json.hpp>

#include "base/crypto/secret.hpp"

namespace twinsite::switchover::api {
namespace {

using base::http::Request;
using base::http::Response;

constexpr std::int64_t kNoonMs = 1'800'000'000'000;
constexpr std::chrono::seconds kLimit{20};

base::net::Endpoint any_port() {
    return {base::text::IpAddress::from_v4(0x7F000001), 0};
}

/// Made once: it is slow on purpose.
const std::string& password_hash() {
    static const std::string hash = base::crypto::hash_password(World::kPassword).value();
    return hash;
}

}  // namespace

World::World(const std::map<std::string, std::string>& assets)
    : authority_(
          base::crypto::Authority::create("test", std::chrono::days(90), base::crypto::wall_now())
              .value()
      ) {
    write("ca.crt", authority_.certificate_pem());
    issue(kServer, "server");
    std::filesystem::create_directory(folder.file("assets"));
    for (const auto& [name, text] : assets) write("assets/" + name, text);
    const fleet::Roster roster{
        {{"east", "if1", "interface"}, {"east", "proc1", "processing"}, {"west", "if1", "interface"}
        },
        {{"east", "mon-east"}}
    };
    on_loop([&] {
        fleet.emplace(roster, fleet::Fleet::Listeners{});
        fleet::CommandSettings settings;
        settings.server = kServer;
        settings.sign = [](std::string_view) { return "c2lnbmVk"; };
        commands.emplace(roster, settings, [this](const wire::contract::CommandResult& result) {
            results.push_back(result);
        });
        ApiSettings api_settings;
        api_settings.server = kServer;
        if (!assets.empty()) api_settings.assets = folder.file("assets");
        api_settings.clock = [this] { return moment(); };
        api.emplace(loop_.io(), api_settings, backend, *fleet, *commands);
        api->add_machine_routes(machine_routes_);
        api->add_console_routes(console_routes_).value();
        machine_server_.emplace(loop_.io(), machine_routes_);
        console_server_.emplace(loop_.io(), console_routes_);
        base::http::TlsServer files;
        files.certificate = folder.file("server.crt");
        files.key = folder.file("server.key");
        console_at_ = console_server_->listen_tls(any_port(), files).value();
        files.client_ca = folder.file("ca.crt");
        machine_at_ = machine_server_->listen_tls(any_port(), files).value();
    });
}

World::~World() {
    on_loop([this] {
        machine_server_.reset();
        console_server_.reset();
        api.reset();
        commands.reset();
        fleet.reset();
    });
    loop_.join();
}

void World::write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name)) << text;
}

void World::issue(const std::string& uri, const std::string& name) {
    base::crypto::Order order;
    order.uri = uri;
    order.addresses = {base::text::IpAddress::from_v4(0x7F000001)};
    order.days = std::chrono::days(60);
    const auto made = authority_.issue(order, base::crypto::wall_now()).value();
    write(name + ".crt", made.certificate);
    write(name + ".key", made.key);
    issued_[uri] = name;
}

fleet::Moment World::moment() const {
    const std::chrono::milliseconds ahead(ahead_ms_.load());
    // Real time goes on beside, in seconds at most: tests step it by far more.
    return {std::chrono::steady_clock::now() + ahead, kNoonMs + ahead.count()};
}

base::http::Target World::machine_target(const std::string& identity) {
    auto out = base::http::Target::at_tcp(machine_at_);
    base::http::TlsClient tls;
    tls.ca = folder.file("ca.crt");
    tls.server_name = "127.0.0.1";
    if (!identity.empty()) {
        if (!issued_.contains(identity)) issue(identity, "client" + std::to_string(issued_.size()));
        tls.certificate = folder.file(issued_[identity] + ".crt");
        tls.key = folder.file(issued_[identity] + ".key");
    }
    out.tls = tls;
    return out;
}

base::http::Target World::console_target() const {
    auto out = base::http::Target::at_tcp(console_at_);
    base::http::TlsClient tls;
    tls.ca = folder.file("ca.crt");
    tls.server_name = "127.0.0.1";
    out.tls = tls;
    return out;
}

base::Result<Response> World::machine(const std::string& identity, const Request& request) {
    return base::http::request(machine_target(identity), request, kLimit);
}

base::Result<Response> World::console(Request request) {
    return base::http::request(console_target(), request, kLimit);
}

base::Result<Response> World::console(const Login& login, Request request) {
    request.headers.emplace_back("Cookie", "other=1; twinsite_session=" + login.cookie);
    request.headers.emplace_back("X-CSRF-Token", login.csrf);
    return console(std::move(request));
}

void World::add_user(const std::string& user, const std::string& role, bool must_change) {
    on_loop([&] { backend.users[user] = {user, role, password_hash(), must_change}; });
}

Login World::sign_in(const std::string& user, const std::string& role, bool must_change) {
    add_user(user, role, must_change);
    const boost::json::object body{{"user", user}, {"password", kPassword}};
    const auto answer = console(ask("POST", "/api/v1/login", boost::json::serialize(body)));
    Login out;
    if (!answer || answer->status != 200) return out;
    const auto* cookie = base::http::find_header(answer->headers, "Set-Cookie");
    const std::string name = "twinsite_session=";
    if (cookie) out.cookie = cookie->substr(name.size(), cookie->find(';') - name.size());
    out.csrf = body_of(answer).at("csrf").as_string();
    return out;
}

std::vector<std::string> World::audit() {
    return on_loop([&] {
        std::vector<std::string> out;
        for (const auto& line : backend.lines)
            out.push_back(line.who + " " + line.action + " " + line.object + " " + line.result);
        return out;
    });
}

Request get(const std::string& target) {
    Request out;
    out.target = target;
    return out;
}

Request ask(const std::string& method, const std::string& target, const std::string& body) {
    Request out;
    out.method = method;
    out.target = target;
    out.body = body;
    if (!body.empty()) out.headers.emplace_back("Content-Type", "application/json");
    return out;
}

boost::json::value body_of(const base::Result<Response>& response) {
    if (!response) return nullptr;
    boost::system::error_code failure;
    auto out = boost::json::parse(response->body, failure);
    return failure ? boost::json::value(nullptr) : out;
}

std::string outcome(const base::Result<Response>& response) {
    if (!response) return "error: " + response.error().message();
    auto out = std::to_string(response->status);
    const auto body = body_of(response);
    if (!body.is_object()) return out;
    const auto* rule = body.as_object().if_contains("rule");
    if (rule && rule->is_string()) out.append(" ").append(rule->as_string());
    return out;
}

}  // namespace twinsite::switchover::api
