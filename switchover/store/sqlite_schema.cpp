// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/sqlite_schema.hpp"

namespace twinsite::switchover::store {
namespace {

base::Result<void> create(Database& database, const Schema& schema) {
    auto scope = WriteScope::begin(database);
    if (!scope) return scope.error();
    if (auto made = database.execute(schema.create); !made) return made;
    const auto marks = "PRAGMA application_id=" + std::to_string(schema.application) +
                       ";PRAGMA user_version=" + std::to_string(schema.version);
    if (auto marked = database.execute(marks.c_str()); !marked) return marked;
    return scope->commit();
}

}  // namespace

base::Result<void> prepare_file(Database& database, const Schema& schema, bool whole) {
    const auto tables = database.number("SELECT count(*) FROM sqlite_master");
    if (!tables) return tables.error();
    const auto application = database.number("PRAGMA application_id");
    if (!application) return application.error();
    if (*tables == 0 && *application == 0) return create(database, schema);
    if (*application != schema.application) return Errc::damaged;
    const auto version = database.number("PRAGMA user_version");
    if (!version) return version.error();
    if (*version > schema.version) return Errc::newer_schema;
    if (!whole) return {};
    const auto verdict = database.text("PRAGMA quick_check(1)");
    if (!verdict) return verdict.error();
    if (*verdict != "ok") return Errc::damaged;
    return {};
}

}  // namespace twinsite::switchover::store
