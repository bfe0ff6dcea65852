// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "switchover/store/store.hpp"

namespace twinsite::switchover::store {

/// A person who may use the console.
struct User {
    std::string name;           ///< [a-z0-9._-]{1,63}
    std::string role;           ///< viewer | operator | admin
    std::string password_hash;  ///< As base/crypto made it; never shown.
    bool must_change = false;   ///< The password is a one-time password.
};

/// A login. Kept by the digest of its token: who reads the store cannot use it.
struct Session {
    std::string token_digest;  ///< SHA-256 in hex of the cookie's value.
    std::string user;
    std::string csrf;
    std::int64_t created_wall_ms = 0;
    std::int64_t expires_wall_ms = 0;
};

Result<std::optional<User>> find_user(Store& store, const std::string& name);
Result<std::vector<User>> list_users(Store& store);
void save_user(Transaction& transaction, const User& user);
void remove_user(Transaction& transaction, const std::string& name);

Result<std::optional<Session>> find_session(Store& store, const std::string& token_digest);
Result<std::vector<Session>> list_sessions(Store& store);
void save_session(Transaction& transaction, const Session& session);
void remove_session(Transaction& transaction, const std::string& token_digest);

}  // namespace twinsite::switchover::store
