// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/sqlite.hpp"

#include <utility>

#include <sqlite3.h>

#include "base/error/check.hpp"

namespace twinsite::switchover::store {
namespace {

// Another process should not be here at all (the lock file); a backup tool may be, for a moment.
// The server's thread waits for it: what is refused is tried again by who asked.
constexpr int kBusyMs = 50;

}  // namespace

base::Error error_of(int code) {
    switch (code & 0xff) {
        case SQLITE_FULL:
            return Errc::full;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return Errc::damaged;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Errc::in_use;
        case SQLITE_TOOBIG:
            return Errc::invalid;
        default:
            return Errc::unavailable;
    }
}

Statement::Statement(sqlite3_stmt* native) : native_(native) {}

void Statement::Finalizer::operator()(sqlite3_stmt* native) const {
    sqlite3_finalize(native);
}

Statement& Statement::bind(int at, std::int64_t value) {
    BASE_CHECK(sqlite3_bind_int64(native_.get(), at, value) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(int at, double value) {
    BASE_CHECK(sqlite3_bind_double(native_.get(), at, value) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(int at, std::string_view text) {
    // A null pointer would bind NULL instead of an empty text.
    const char* begin = text.empty() ? "" : text.data();
    BASE_CHECK(
        sqlite3_bind_text64(native_.get(), at, begin, text.size(), SQLITE_STATIC, SQLITE_UTF8) ==
        SQLITE_OK
    );
    return *this;
}

base::Result<Row> Statement::step() {
    const int code = sqlite3_step(native_.get());
    if (code == SQLITE_ROW) return Row::here;
    reset();
    if (code == SQLITE_DONE) return Row::none;
    return error_of(code);
}

base::Result<void> Statement::run() {
    const auto row = step();
    reset();
    if (!row) return row.error();
    return {};
}

void Statement::reset() {
    sqlite3_reset(native_.get());
    sqlite3_clear_bindings(native_.get());
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(native_.get(), column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(native_.get(), column);
}

std::string Statement::text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(native_.get(), column));
    const auto size = sqlite3_column_bytes(native_.get(), column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

void Database::Closer::operator()(sqlite3* native) const {
    sqlite3_close_v2(native);
}

base::Result<Database> Database::open(const std::string& file) {
    sqlite3* native = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(file.c_str(), &native, flags, nullptr);
    Database out;
    out.native_.reset(native);
    if (code != SQLITE_OK) return error_of(code);
    sqlite3_extended_result_codes(native, 1);
    sqlite3_busy_timeout(native, kBusyMs);
    return out;
}

base::Result<void> Database::execute(const char* sql) {
    const int code = sqlite3_exec(native_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error_of(code);
    return {};
}

base::Result<Statement> Database::prepare(const char* sql) {
    sqlite3_stmt* native = nullptr;
    const int code =
        sqlite3_prepare_v3(native_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &native, nullptr);
    if (code != SQLITE_OK) return error_of(code);
    return Statement(native);
}

base::Result<std::int64_t> Database::number(const char* sql) {
    auto statement = prepare(sql);
    if (!statement) return statement.error();
    const auto row = statement->step();
    if (!row) return row.error();
    if (*row == Row::none) return Errc::damaged;
    return statement->integer(0);
}

base::Result<std::string> Database::text(const char* sql) {
    auto statement = prepare(sql);
    if (!statement) return statement.error();
    const auto row = statement->step();
    if (!row) return row.error();
    if (*row == Row::none) return Errc::damaged;
    return statement->text(0);
}

std::string Database::message() const {
    return native_ ? sqlite3_errmsg(native_.get()) : "not open";
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(native_.get());
}

base::Result<WriteScope> WriteScope::begin(Database& database) {
    if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun.error();
    return WriteScope(database);
}

WriteScope::WriteScope(WriteScope&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

WriteScope::~WriteScope() {
    // Fails harmlessly where SQLite has rolled back by itself (a full disk).
    if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

base::Result<void> WriteScope::commit() {
    if (auto done = database_->execute("COMMIT"); !done) return done;
    database_ = nullptr;
    return {};
}

}  // namespace twinsite::switchover::store
