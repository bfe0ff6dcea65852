// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "switchover/store/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// The little of SQLite's interface that the room uses, with owners and error values.
namespace twinsite::switchover::store {

/// The room's error for a result code of SQLite.
base::Error error_of(int code);

enum class Row : std::uint8_t { here, none };

/// A prepared statement. Values are bound from 1, columns are read from 0.
class Statement {
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* native);

    Statement& bind(int at, std::int64_t value);
    Statement& bind(int at, double value);
    /// `text` lives until the statement is reset.
    Statement& bind(int at, std::string_view text);

    /// To the next row. After the last one, or an error, the statement is reset.
    base::Result<Row> step();
    /// For a statement without rows; resets it.
    base::Result<void> run();
    void reset();

    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;

private:
    struct Finalizer {
        void operator()(sqlite3_stmt* native) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalizer> native_;
};

/// One connection to one file, for one thread.
class Database {
public:
    Database() = default;
    /// Creates the file when it is not there.
    static base::Result<Database> open(const std::string& file);

    /// Statements without values and rows that matter, separated by semicolons.
    base::Result<void> execute(const char* sql);
    base::Result<Statement> prepare(const char* sql);
    /// First column of the first row as a number; damaged when there is none.
    base::Result<std::int64_t> number(const char* sql);
    base::Result<std::string> text(const char* sql);
    /// Words of SQLite for the last failure.
    std::string message() const;
    /// Rows changed by the last statement.
    std::int64_t changes() const;

private:
    struct Closer {
        void operator()(sqlite3* native) const;
    };
    std::unique_ptr<sqlite3, Closer> native_;
};

/// BEGIN IMMEDIATE .. COMMIT; rolled back unless committed.
class WriteScope {
public:
    static base::Result<WriteScope> begin(Database& database);
    WriteScope(WriteScope&& other) noexcept;
    WriteScope& operator=(WriteScope&&) = delete;
    ~WriteScope();
    base::Result<void> commit();

private:
    explicit WriteScope(Database& database) : database_(&database) {}
    Database* database_;  ///< nullptr once over
};

}  // namespace twinsite::switchover::store
