// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "switchover/api/sessions.hpp"
#include "tests/switchover/api/world.hpp"

namespace twinsite::switchover::api {
namespace {

using namespace std::chrono_literals;
using base::http::find_header;
using base::http::Request;

Request login(const std::string& user, const std::string& password) {
    return ask(
        "POST",
        "/api/v1/login",
        boost::json::serialize(boost::json::object{{"user", user}, {"password", password}})
    );
}

Request new_password(const std::string& old_one, const std::string& new_one) {
    return ask(
        "POST",
        "/api/v1/password",
        boost::json::serialize(boost::json::object{{"old", old_one}, {"new", new_one}})
    );
}

class ConsoleApi : public testing::Test {
protected:
    World world_{{{"index.html", "<!doctype html>"}, {"app.js", "export {};"}}};
};

TEST_F(ConsoleApi, WithoutALoginNothingIsShown) {
    for (const auto* path :
         {"/api/v1/overview",
          "/api/v1/hosts",
          "/api/v1/audit",
          "/api/v1/events",
          "/api/v1/me",
          "/metrics",
          "/api/v1/metrics"})
        EXPECT_EQ(outcome(world_.console(get(path))), "401 signed-out") << path;
    EXPECT_EQ(
        outcome(world_.console(ask("POST", "/api/v1/runs", R"({"scenario":"x"})"))),
        "401 signed-out"
    );
    EXPECT_EQ(
        outcome(world_.console({"wrong", "wrong"}, get("/api/v1/overview"))), "401 signed-out"
    );
    EXPECT_EQ(outcome(world_.console(get("/healthz"))), "200");
    EXPECT_EQ(outcome(world_.console(ask("POST", "/agent/v1/report", "{}"))), "404")
        << "machines have their own port";
}

TEST_F(ConsoleApi, ALoginGivesACookieThatScriptsDoNotSee) {
    world_.add_user("li", "operator", false);
    const auto answer = world_.console(login("li", World::kPassword));
    ASSERT_EQ(outcome(answer), "200");
    const auto* cookie = find_header(answer->headers, "Set-Cookie");
    ASSERT_NE(cookie, nullptr);
    for (const auto* word :
         {"twinsite_session=", "HttpOnly", "Secure", "SameSite=Strict", "Path=/"})
        EXPECT_NE(cookie->find(word), std::string::npos) << word;
    const auto body = body_of(answer);
    EXPECT_EQ(body.at("user").as_string(), "li");
    EXPECT_EQ(body.at("role").as_string(), "operator");
    EXPECT_FALSE(body.at("must_change").as_bool());
    EXPECT_EQ(world_.audit().back(), "li login li done");
    const auto kept = world_.on_loop([&] { return world_.backend.kept_sessions.begin()->first; });
    EXPECT_EQ(cookie->find(kept), std::string::npos) << "the store cannot be used to log in";
}

TEST_F(ConsoleApi, AWrongUserAndAWrongPasswordLookTheSame) {
    world_.add_user("li", "operator", false);
    const auto wrong_password = world_.console(login("li", "wrong"));
    const auto wrong_user = world_.console(login("wang", World::kPassword));
    EXPECT_EQ(outcome(wrong_password), "401 login");
    EXPECT_EQ(wrong_password->body, wrong_user->body);
    EXPECT_EQ(find_header(wrong_user->headers, "Set-Cookie"), nullptr);
    EXPECT_EQ(world_.audit().back(), "wang login wang refused");
}

TEST_F(ConsoleApi, GuessingIsSlowed) {
    world_.add_user("li", "operator", false);
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ(outcome(world_.console(login("li", "guess"))), "401 login") << i;
    const auto slowed = world_.console(login("li", "guess"));
    EXPECT_EQ(outcome(slowed), "429 rate");
    EXPECT_NE(find_header(slowed->headers, "Retry-After"), nullptr);
    EXPECT_EQ(outcome(world_.console(login("li", World::kPassword))), "429 rate");
    world_.advance(7s);
    EXPECT_EQ(outcome(world_.console(login("li", World::kPassword))), "200");
}

TEST_F(ConsoleApi, GuessesOfAStrangerDoNotKeepTheUserOut) {
    world_.add_user("admin", "admin", false);
    auto stranger = world_.console_target();
    stranger.bind = base::net::Endpoint{base::text::IpAddress::from_v4(0x7F000002), 0};
    std::string last;
    for (int i = 0; i < 25; ++i)
        last = outcome(base::http::request(stranger, login("admin", "guess"), 20s));
    EXPECT_EQ(last, "429 rate");
    EXPECT_EQ(outcome(world_.console(login("admin", World::kPassword))), "200");
}

TEST_F(ConsoleApi, HostileLoginBodiesAreRefused) {
    for (const auto* body : {"", "{}", "[]", R"({"user":1,"password":"x"})", R"({"user":"li"})"})
        EXPECT_EQ(outcome(world_.console(ask("POST", "/api/v1/login", body))), "422 bad-body")
            << body;
    auto form = login("li", "x");
    form.headers = {{"Content-Type", "text/plain"}};
    EXPECT_EQ(outcome(world_.console(form)), "415 bad-body") << "what a form can send";
    auto foreign = login("li", "x");
    foreign.headers.emplace_back("Sec-Fetch-Site", "cross-site");
    EXPECT_EQ(outcome(world_.console(foreign)), "403 csrf");
}

TEST_F(ConsoleApi, ChangesNeedTheTokenOfTheLogin) {
    const auto li = world_.sign_in("li", "operator");
    const auto pause = ask("PUT", "/api/v1/pause", R"({"reason":"works"})");
    EXPECT_EQ(outcome(world_.console({li.cookie, "wrong"}, pause)), "403 csrf");
    auto bare = pause;
    bare.headers.emplace_back("Cookie", "twinsite_session=" + li.cookie);
    EXPECT_EQ(outcome(world_.console(bare)), "403 csrf");
    EXPECT_FALSE(world_.on_loop([&] { return world_.backend.paused.has_value(); }));
    EXPECT_EQ(world_.audit().back(), "li csrf /api/v1/pause refused");
    const auto wang = world_.sign_in("wang", "operator");
    EXPECT_EQ(outcome(world_.console({li.cookie, wang.csrf}, pause)), "403 csrf");
    EXPECT_EQ(outcome(world_.console(li, pause)), "200");
    EXPECT_EQ(world_.on_loop([&] { return world_.backend.paused->by; }), "li");
    auto foreign = pause;
    foreign.headers.emplace_back("Sec-Fetch-Site", "same-site");
    EXPECT_EQ(outcome(world_.console(li, foreign)), "403 csrf");
}

TEST_F(ConsoleApi, AViewerSeesAndChangesNothing) {
    const auto viewer = world_.sign_in("guest", "viewer");
    EXPECT_EQ(outcome(world_.console(viewer, get("/api/v1/overview"))), "200");
    const std::vector<Request> changes = {
        ask("POST", "/api/v1/runs", R"({"scenario":"site-east-down"})"),
        ask("PUT", "/api/v1/pause", R"({"reason":"r"})"),
        ask("DELETE", "/api/v1/pause", ""),
        ask("PUT", "/api/v1/scenarios/site-east-down/mode", R"({"mode":"off"})"),
        ask("POST", "/api/v1/runs/r01-1/abort", ""),
    };
    for (const auto& change : changes)
        EXPECT_EQ(outcome(world_.console(viewer, change)), "403 role") << change.target;
    EXPECT_TRUE(world_.on_loop([&] { return world_.backend.requests.empty(); }));
    EXPECT_TRUE(world_.on_loop([&] { return world_.backend.orders.empty(); }));
    EXPECT_EQ(world_.audit()[1], "guest run.start  refused");
}

TEST_F(ConsoleApi, AOneTimePasswordMustBeChangedFirst) {
    const auto admin = world_.sign_in("admin", "admin", true);
    EXPECT_TRUE(body_of(world_.console(admin, get("/api/v1/me"))).at("must_change").as_bool());
    EXPECT_EQ(outcome(world_.console(admin, get("/api/v1/overview"))), "403 must-change");
    EXPECT_EQ(outcome(world_.console(admin, get("/api/v1/events"))), "403 must-change");
    EXPECT_EQ(
        outcome(world_.console(admin, new_password(World::kPassword, "short"))), "422 bad-body"
    );
    EXPECT_EQ(
        outcome(world_.console(admin, new_password("not the old one", "a new password!"))),
        "422 login"
    );
    const auto changed = world_.console(admin, new_password(World::kPassword, "a new password!"));
    ASSERT_EQ(outcome(changed), "200");
    EXPECT_FALSE(body_of(changed).at("must_change").as_bool());
    EXPECT_EQ(outcome(world_.console(admin, get("/api/v1/overview"))), "200");
    EXPECT_EQ(world_.audit().back(), "admin password.change admin done");
    EXPECT_EQ(outcome(world_.console(login("admin", World::kPassword))), "401 login");
    EXPECT_EQ(outcome(world_.console(login("admin", "a new password!"))), "200");
}

TEST_F(ConsoleApi, ANewPasswordEndsTheOtherLogins) {
    const auto first = world_.sign_in("li", "operator");
    const auto second = world_.sign_in("li", "operator");
    ASSERT_EQ(
        outcome(world_.console(second, new_password(World::kPassword, "a new password!"))), "200"
    );
    EXPECT_EQ(outcome(world_.console(first, get("/api/v1/me"))), "401 signed-out");
    EXPECT_EQ(outcome(world_.console(second, get("/api/v1/me"))), "200");
}

TEST_F(ConsoleApi, LoginsEnd) {
    const auto li = world_.sign_in("li", "operator");
    world_.advance(29min);
    EXPECT_EQ(outcome(world_.console(li, get("/api/v1/me"))), "200");
    world_.advance(31min);
    EXPECT_EQ(outcome(world_.console(li, get("/api/v1/me"))), "401 signed-out");
    const auto again = world_.sign_in("li", "operator");
    const auto out = world_.console(again, ask("POST", "/api/v1/logout", ""));
    ASSERT_EQ(outcome(out), "204");
    EXPECT_NE(find_header(out->headers, "Set-Cookie")->find("Max-Age=0"), std::string::npos);
    EXPECT_EQ(outcome(world_.console(again, get("/api/v1/me"))), "401 signed-out");
    EXPECT_TRUE(world_.on_loop([&] { return world_.backend.kept_sessions.empty(); }));
}

TEST_F(ConsoleApi, ARemovedOrDemotedUserIsSoAtOnce) {
    const auto li = world_.sign_in("li", "operator");
    world_.on_loop([&] { world_.backend.users["li"].role = "viewer"; });
    EXPECT_EQ(
        outcome(world_.console(li, ask("PUT", "/api/v1/pause", R"({"reason":"r"})"))), "403 role"
    );
    world_.on_loop([&] { world_.backend.users.erase("li"); });
    EXPECT_EQ(outcome(world_.console(li, get("/api/v1/overview"))), "401 signed-out");
}

TEST_F(ConsoleApi, PagesCarryTheirPolicy) {
    const auto page = world_.console(get("/"));
    ASSERT_EQ(outcome(page), "200");
    EXPECT_EQ(page->body, "<!doctype html>");
    const auto* policy = find_header(page->headers, "Content-Security-Policy");
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(policy->find("default-src 'none'; script-src 'self'; style-src 'self'"), 0U);
    EXPECT_EQ(policy->find("unsafe"), std::string::npos);
    EXPECT_EQ(*find_header(page->headers, "X-Frame-Options"), "DENY");
    EXPECT_EQ(*find_header(page->headers, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(*find_header(page->headers, "Referrer-Policy"), "no-referrer");
    const auto script = world_.console(get("/app.js"));
    ASSERT_EQ(outcome(script), "200");
    EXPECT_EQ(script->content_type.find("text/javascript"), 0U);
    for (const auto* path : {"/../ca.crt", "/%2e%2e/ca.crt", "/..%2fca.crt", "/server.key", "//"})
        EXPECT_NE(outcome(world_.console(get(path))), "200") << path;
}

}  // namespace
}  // namespace twinsite::switchover::api
