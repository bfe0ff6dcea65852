// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/users.hpp"

#include <boost/json/object.hpp>

#include "switchover/store/record.hpp"

namespace twinsite::switchover::store {
namespace {

using wire::contract::JsonObject;

constexpr const char* kUser = "user/";
constexpr const char* kSession = "session/";
constexpr std::size_t kLongest = 1024;

User read_user(JsonObject& from) {
    User out;
    out.name = from.text("name", kLongest);
    out.role = from.text("role", kLongest);
    out.password_hash = from.text("password_hash", kLongest);
    out.must_change = from.truth_or_false("must_change");
    return out;
}

Session read_session(JsonObject& from) {
    Session out;
    out.token_digest = from.text("token_digest", kLongest);
    out.user = from.text("user", kLongest);
    out.csrf = from.text("csrf", kLongest);
    out.created_wall_ms = from.signed_or_zero("created_wall_ms");
    out.expires_wall_ms = from.signed_or_zero("expires_wall_ms");
    return out;
}

template <class Record>
std::vector<Record> values_of(std::vector<std::pair<std::string, Record>> records) {
    std::vector<Record> out;
    for (auto& [name, record] : records) out.push_back(std::move(record));
    return out;
}

}  // namespace

Result<std::optional<User>> find_user(Store& store, const std::string& name) {
    return find_record<User>(store, kUser + name, read_user);
}

Result<std::vector<User>> list_users(Store& store) {
    auto records = list_records<User>(store, kUser, read_user);
    if (!records) return records.error();
    return values_of(std::move(*records));
}

void save_user(Transaction& transaction, const User& user) {
    put_record(
        transaction,
        kUser + user.name,
        {{"name", user.name},
         {"role", user.role},
         {"password_hash", user.password_hash},
         {"must_change", user.must_change}}
    );
}

void remove_user(Transaction& transaction, const std::string& name) {
    transaction.writes.push_back({kUser + name, std::nullopt});
}

Result<std::optional<Session>> find_session(Store& store, const std::string& token_digest) {
    return find_record<Session>(store, kSession + token_digest, read_session);
}

Result<std::vector<Session>> list_sessions(Store& store) {
    auto records = list_records<Session>(store, kSession, read_session);
    if (!records) return records.error();
    return values_of(std::move(*records));
}

void save_session(Transaction& transaction, const Session& session) {
    put_record(
        transaction,
        kSession + session.token_digest,
        {{"token_digest", session.token_digest},
         {"user", session.user},
         {"csrf", session.csrf},
         {"created_wall_ms", session.created_wall_ms},
         {"expires_wall_ms", session.expires_wall_ms}}
    );
}

void remove_session(Transaction& transaction, const std::string& token_digest) {
    transaction.writes.push_back({kSession + token_digest, std::nullopt});
}

}  // namespace twinsite::switchover::store
