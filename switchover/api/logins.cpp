// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/logins.hpp"

#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json.hpp>

#include "base/crypto/secret.hpp"
#include "base/http/router.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;
using base::http::find_header;
using base::http::PathParameters;
using base::http::Reply;
using base::http::Request;
using base::http::Response;

constexpr const char* kCookie = "twinsite_session";
constexpr std::size_t kMostChecks = 32;
/// Before a check while very many fail, from wherever they come: all wait, nobody is kept out.
constexpr std::chrono::milliseconds kSlowDown{250};

std::string pair_of(const std::string& user, const std::string& from) {
    return from + " " + user;
}

Response signed_out() {
    return refuse(401, "Not signed in", "sign in first", "signed-out");
}

std::string cookie_line(const std::string& token, std::chrono::seconds age) {
    return std::string(kCookie) + "=" + token + "; Path=/; HttpOnly; Secure; SameSite=Strict" +
           "; Max-Age=" + std::to_string(age.count());
}

json::object me_json(const store::User& user, const std::string& csrf) {
    return {
        {"user", user.name},
        {"role", user.role},
        {"must_change", user.must_change},
        {"csrf", csrf},
    };
}

}  // namespace

Logins::Logins(boost::asio::io_context& io, Context& context)
    : io_(io),
      context_(context),
      sessions_(context.backend),
      by_address_(10, std::chrono::seconds(6)),
      by_pair_(10, std::chrono::seconds(6)),
      all_(60, std::chrono::milliseconds(500)),
      self_(std::make_shared<Logins*>(this)),
      worker_(kMostChecks) {
    sessions_.load(context_.now());
}

Logins::~Logins() {
    *self_ = nullptr;
}

/// Runs on the password thread, then `then` on ours. Only copies go there: replies stay here.
bool Logins::check(std::string password, std::string hash, std::string new_password, Then then) {
    const auto id = ++last_check_;
    const auto pause = all_.take("", context_.now().now) ? kSlowDown * 0 : kSlowDown;
    auto job = [&io = io_,
                pause,
                self = self_,
                id,
                password = std::move(password),
                hash = std::move(hash),
                new_password = std::move(new_password)] {
        std::this_thread::sleep_for(pause);
        Checked out;
        out.right = hash.empty() ? base::crypto::check_no_password(password)
                                 : base::crypto::check_password(password, hash);
        if (out.right && !new_password.empty()) {
            auto made = base::crypto::hash_password(new_password);
            if (made) out.new_hash = std::move(*made);
        }
        boost::asio::post(io, [self, id, out = std::move(out)] {
            if (!*self) return;
            auto entry = (*self)->checks_.extract(id);
            if (entry) entry.mapped()(out);
        });
    };
    if (!worker_.start(std::move(job))) return false;
    checks_[id] = std::move(then);
    return true;
}

bool Logins::may_try(const std::string& user, const std::string& from, unsigned& wait_s) {
    const auto now = context_.now().now;
    if (!by_address_.take(from, now)) {
        wait_s = static_cast<unsigned>(by_address_.wait(from, now).count());
        return false;
    }
    // Not by user alone: a stranger's guesses must not keep the user out.
    const auto pair = pair_of(user, from);
    if (!by_pair_.take(pair, now)) {
        wait_s = static_cast<unsigned>(by_pair_.wait(pair, now).count());
        return false;
    }
    return true;
}

void Logins::login(const Request& request, const Reply& reply) {
    if (auto foreign = refuse_foreign_page(request)) return reply.reply(std::move(*foreign));
    const auto wanted = decode_login(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted))
        return reply.reply(refuse(422, "Wrong value", wrong->text, "bad-body"));
    const auto& body = std::get<LoginRequest>(wanted);
    const Actor actor{body.user, request.peer_address};
    unsigned wait_s = 0;
    if (!may_try(body.user, request.peer_address, wait_s)) {
        context_.audit.write_refusal_sometimes(
            {"", request.peer_address}, "login", body.user, "too often", context_.now().now
        );
        auto out = refuse(429, "Too many tries", "wait before the next try", "rate");
        out.headers.emplace_back("Retry-After", std::to_string(wait_s));
        return reply.reply(std::move(out));
    }
    const auto found = context_.backend.find_user(body.user);
    if (!found) return reply.reply(not_available(found.error()));
    const auto user = found->value_or(store::User{});
    const auto then = [this, user, actor, reply](const Checked& checked) {
        finish_login(user, actor, checked.right, reply);
    };
    if (!check(body.password, user.password_hash, {}, then))
        reply.reply(refuse(503, "Not available", "too many sign in at once", "rate"));
}

void Logins::finish_login(
    const store::User& user, const Actor& actor, bool right, const Reply& reply
) {
    if (!right || !parse_role(user.role)) {
        context_.audit.write(actor, "login", actor.who, "refused", "wrong user or password");
        return reply.reply(refuse(401, "Not signed in", "wrong user or password", "login"));
    }
    const auto moment = context_.now();
    by_address_.give_back(actor.from, moment.now);
    by_pair_.give_back(pair_of(actor.who, actor.from), moment.now);
    all_.give_back("", moment.now);
    const auto opened = sessions_.open(user.name, moment);
    context_.audit.write(actor, "login", user.name, "done", "");
    auto out = json_answer(me_json(user, opened.csrf));
    out.headers.emplace_back("Set-Cookie", cookie_line(opened.token, Sessions::kLongest));
    reply.reply(std::move(out));
}

/// Who it is, and nothing about what may be done.
Logins::Found Logins::find_caller(const Request& request) {
    const auto* cookies = find_header(request.headers, "Cookie");
    const auto token = cookies ? find_cookie(*cookies, kCookie) : std::string_view();
    if (token.empty()) return signed_out();
    Caller out;
    out.session = Sessions::digest_of(token);
    const auto* session = sessions_.use(out.session, context_.now().now);
    if (!session) return signed_out();
    out.who = session->user;
    out.csrf = session->csrf;
    out.from = request.peer_address;
    const auto user = context_.backend.find_user(out.who);
    if (!user) return not_available(user.error());
    const auto role = *user ? parse_role((*user)->role) : std::nullopt;
    if (!role) {  // removed meanwhile
        sessions_.close(out.session);
        return signed_out();
    }
    out.role = *role;
    out.must_change = (*user)->must_change;
    if (!is_unsafe(request)) return out;
    if (auto foreign = refuse_foreign_page(request)) return std::move(*foreign);
    const auto* shown = find_header(request.headers, "X-CSRF-Token");
    if (shown && base::crypto::same_secret(*shown, out.csrf)) return out;
    context_.audit.write_refusal_sometimes(
        out.actor(), "csrf", request.path, request.method, context_.now().now
    );
    return refuse(403, "Forbidden", "X-CSRF-Token is missing or wrong", "csrf");
}

std::variant<Caller, Response> Logins::authenticate(const Request& request) {
    auto found = find_caller(request);
    const auto* caller = std::get_if<Caller>(&found);
    if (caller && caller->must_change)
        return refuse(403, "Forbidden", "change the one-time password first", "must-change");
    return found;
}

bool Logins::holds(const std::string& session) {
    const auto* found = sessions_.find(session, context_.now().now);
    if (!found) return false;
    const auto user = context_.backend.find_user(found->user);
    // A store that cannot be read ends no stream.
    return !user || (*user && parse_role((*user)->role));
}

Response Logins::logout(const Request& request) {
    auto found = find_caller(request);
    if (auto* refused = std::get_if<Response>(&found)) return std::move(*refused);
    const auto& caller = std::get<Caller>(found);
    sessions_.close(caller.session);
    context_.audit.write(caller.actor(), "logout", caller.who, "done", "");
    Response out;
    out.status = 204;
    out.headers.emplace_back("Set-Cookie", cookie_line("", std::chrono::seconds(0)));
    return out;
}

Response Logins::show_me(const Request& request) {
    auto found = find_caller(request);
    if (auto* refused = std::get_if<Response>(&found)) return std::move(*refused);
    const auto& caller = std::get<Caller>(found);
    return json_answer(
        {{"user", caller.who},
         {"role", to_string(caller.role)},
         {"must_change", caller.must_change},
         {"csrf", caller.csrf}}
    );
}

void Logins::change_password(const Request& request, const Reply& reply) {
    auto found = find_caller(request);
    if (auto* refused = std::get_if<Response>(&found)) return reply.reply(std::move(*refused));
    const auto& caller = std::get<Caller>(found);
    const auto wanted = decode_password(request.body);
    if (const auto* wrong = std::get_if<BadBody>(&wanted))
        return reply.reply(refuse(422, "Wrong value", wrong->text, "bad-body"));
    unsigned wait_s = 0;
    if (!may_try(caller.who, caller.from, wait_s)) {
        auto out = refuse(429, "Too many tries", "wait before the next try", "rate");
        out.headers.emplace_back("Retry-After", std::to_string(wait_s));
        return reply.reply(std::move(out));
    }
    const auto user = context_.backend.find_user(caller.who);
    if (!user) return reply.reply(not_available(user.error()));
    if (!*user) return reply.reply(signed_out());
    const auto& body = std::get<PasswordRequest>(wanted);
    const auto then = [this, caller, reply](const Checked& checked) {
        finish_password(caller, checked, reply);
    };
    if (!check(body.old_password, (*user)->password_hash, body.new_password, then))
        reply.reply(refuse(503, "Not available", "too many sign in at once", "rate"));
}

void Logins::finish_password(const Caller& caller, const Checked& checked, const Reply& reply) {
    if (!checked.right) {
        context_.audit.write(
            caller.actor(), "password.change", caller.who, "refused", "the old one is wrong"
        );
        return reply.reply(refuse(422, "Wrong value", "'old' is not the password", "login"));
    }
    // Read again: it may have changed while the thread was at work.
    const auto found = context_.backend.find_user(caller.who);
    if (!found) return reply.reply(not_available(found.error()));
    if (!*found || checked.new_hash.empty()) return reply.reply(signed_out());
    auto user = **found;
    user.password_hash = checked.new_hash;
    user.must_change = false;
    if (const auto saved = context_.backend.save_user(user); !saved) {
        context_.audit.write(
            caller.actor(), "password.change", caller.who, "failed", saved.error().message()
        );
        return reply.reply(not_available(saved.error()));
    }
    sessions_.close_others(caller.who, caller.session);
    context_.audit.write(caller.actor(), "password.change", caller.who, "done", "");
    reply.reply(json_answer(me_json(user, caller.csrf)));
}

void Logins::tick() {
    sessions_.drop_ended(context_.now().now);
}

void Logins::add_routes(base::http::Router& router) {
    router.add_later(
        "POST",
        "/api/v1/login",
        [this](const Request& request, const PathParameters&, const Reply& reply) {
            login(request, reply);
        }
    );
    router.add_later(
        "POST",
        "/api/v1/password",
        [this](const Request& request, const PathParameters&, const Reply& reply) {
            change_password(request, reply);
        }
    );
    router.add("POST", "/api/v1/logout", [this](const Request& request, const PathParameters&) {
        return logout(request);
    });
    router.add("GET", "/api/v1/me", [this](const Request& request, const PathParameters&) {
        return show_me(request);
    });
}

}  // namespace twinsite::switchover::api
