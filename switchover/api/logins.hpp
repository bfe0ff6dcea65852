// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/http/reply.hpp"
#include "switchover/api/context.hpp"
#include "switchover/api/requests.hpp"
#include "switchover/api/sessions.hpp"
#include "switchover/api/worker.hpp"

namespace boost::asio {
class io_context;
}
namespace twinsite::base::http {
class Router;
}

namespace twinsite::switchover::api {

/// People of the console: login, logout, password, and who sent a request. Passwords are checked
/// on a thread of their own, as that takes long on purpose.
class Logins {
public:
    Logins(boost::asio::io_context& io, Context& context);
    ~Logins();
    Logins(const Logins&) = delete;
    Logins& operator=(const Logins&) = delete;

    /// /api/v1/login, logout, password and me.
    void add_routes(base::http::Router& router);
    /// Whose login a request carries: 401 without one; 403 without the token against forged
    /// requests (CSRF) where it changes something, and while the password must be changed.
    std::variant<Caller, base::http::Response> authenticate(const base::http::Request& request);
    bool holds(const std::string& session);
    void tick();

private:
    /// What a password thread found.
    struct Checked {
        bool right = false;
        std::string new_hash;  // empty: none was asked for, or it failed
    };
    using Then = std::function<void(const Checked&)>;
    using Found = std::variant<Caller, base::http::Response>;

    Found find_caller(const base::http::Request& request);
    void login(const base::http::Request& request, const base::http::Reply& reply);
    void finish_login(
        const store::User& user, const Actor& actor, bool right, const base::http::Reply& reply
    );
    void change_password(const base::http::Request& request, const base::http::Reply& reply);
    void finish_password(
        const Caller& caller, const Checked& checked, const base::http::Reply& reply
    );
    base::http::Response logout(const base::http::Request& request);
    base::http::Response show_me(const base::http::Request& request);
    bool check(std::string password, std::string hash, std::string new_password, Then then);
    bool may_try(const std::string& user, const std::string& from, unsigned& wait_s);

    boost::asio::io_context& io_;
    Context& context_;
    Sessions sessions_;
    TokenBuckets by_address_;
    TokenBuckets by_pair_;  // address and user
    TokenBuckets all_;      // under one key
    std::uint64_t last_check_ = 0;
    std::map<std::uint64_t, Then> checks_;  // what to do when the thread is done
    std::shared_ptr<Logins*> self_;         // empties when we go
    Worker worker_;                         // last: its thread ends first
};

}  // namespace twinsite::switchover::api
