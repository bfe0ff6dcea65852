// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/sqlite_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>

#include <fcntl.h>

#include "base/file/descriptor.hpp"
#include "switchover/store/sqlite.hpp"
#include "switchover/store/sqlite_schema.hpp"

namespace twinsite::switchover::store {
namespace {

constexpr std::size_t kLargestKey = 512;
constexpr std::size_t kLargestValue = std::size_t{1} << 20;
constexpr std::size_t kLargestText = 4096;

// The audit can only grow, whoever has a connection; who replaces the file is found by the hashes.
constexpr Schema kSchema{
    0x74737374,  // "tsst"
    1,
    R"(CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
       INSERT INTO meta VALUES('revision',0),('generation',1),('audit_last',0);
       CREATE TABLE leader(id INTEGER PRIMARY KEY CHECK(id=1), revision INTEGER NOT NULL,
         owner TEXT NOT NULL, since_wall_ms INTEGER NOT NULL);
       INSERT INTO leader VALUES(1,0,'',0);
       CREATE TABLE entry(key TEXT PRIMARY KEY, value TEXT NOT NULL, created INTEGER NOT NULL,
         changed INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE audit(seq INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, who TEXT NOT NULL,
         source TEXT NOT NULL, action TEXT NOT NULL, object TEXT NOT NULL, result TEXT NOT NULL,
         detail TEXT NOT NULL, hash TEXT NOT NULL);
       CREATE TRIGGER audit_kept BEFORE DELETE ON audit
         BEGIN SELECT RAISE(ABORT,'the audit only grows'); END;
       CREATE TRIGGER audit_fixed BEFORE UPDATE ON audit
         BEGIN SELECT RAISE(ABORT,'the audit only grows'); END;)"
};

constexpr const char* kAuditColumns =
    "SELECT seq,wall_ms,who,source,action,object,result,detail,hash FROM audit ";

std::int64_t as_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
std::uint64_t as_unsigned(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

/// At most kLargestText bytes, not cut inside a character of UTF-8.
std::string cut(const std::string& text) {
    if (text.size() <= kLargestText) return text;
    auto end = kLargestText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end);
}

AuditEntry read_audit_row(const Statement& row) {
    AuditEntry out;
    out.seq = as_unsigned(row.integer(0));
    out.wall_ms = row.integer(1);
    out.who = row.text(2);
    out.from = row.text(3);
    out.action = row.text(4);
    out.object = row.text(5);
    out.result = row.text(6);
    out.detail = row.text(7);
    out.hash = row.text(8);
    return out;
}

Entry read_entry(const Statement& row) {
    return {row.text(0), row.text(1), as_unsigned(row.integer(2)), as_unsigned(row.integer(3))};
}

/// The first key beyond all that begin with `prefix`; empty: there is none.
std::string beyond(std::string prefix) {
    while (!prefix.empty()) {
        auto& last = prefix.back();
        if (static_cast<unsigned char>(last) < 0xff) {
            ++last;
            return prefix;
        }
        prefix.pop_back();
    }
    return prefix;
}

bool within_bounds(const Transaction& transaction) {
    const auto good_key = [](const std::string& key) {
        return !key.empty() && key.size() <= kLargestKey;
    };
    for (const auto& compare : transaction.compares)
        if (!good_key(compare.key)) return false;
    for (const auto& write : transaction.writes)
        if (!good_key(write.key) || (write.value && write.value->size() > kLargestValue))
            return false;
    return true;
}

class SqliteStore final : public Store {
public:
    SqliteStore(
        base::file::Descriptor lock, Database database, std::function<std::int64_t()> wall_ms
    )
        : lock_(std::move(lock)), database_(std::move(database)), wall_ms_(std::move(wall_ms)) {}

    Result<void> prepare_statements();

    Result<Fence> acquire(const std::string& owner) override;
    Result<void> renew(const Fence& fence) override;
    Result<void> release(const Fence& fence) override;
    Result<Fence> raise_generation(const Fence& fence) override;
    Result<Committed> commit(const Fence& fence, const Transaction& transaction) override;
    Result<std::optional<Entry>> find(const std::string& key) override;
    Result<std::vector<Entry>> list(const Range& range) override;
    Result<std::vector<AuditEntry>> audit(std::uint64_t after, std::size_t limit) override;
    Result<std::uint64_t> audit_last() override;
    Result<AuditCheck> verify_audit() override;

private:
    Result<std::uint64_t> meta(const char* name);
    Result<void> set_meta(const char* name, std::uint64_t value);
    Result<void> expect_leader(const Fence& fence);
    Result<void> set_leader(const std::string& owner, std::uint64_t revision);
    Result<void> apply(const Transaction& transaction, std::uint64_t revision);
    Result<std::uint64_t> add_audit(const std::vector<AuditDraft>& drafts);

    // destroyed last: nobody else may open the file before it is closed
    base::file::Descriptor lock_;
    Database database_;
    std::function<std::int64_t()> wall_ms_;
    Statement read_meta_;
    Statement write_meta_;
    Statement read_leader_;
    Statement write_leader_;
    Statement read_entry_;
    Statement write_entry_;
    Statement remove_entry_;
    Statement list_up_;
    Statement list_down_;
    Statement read_audit_;
    Statement read_audit_hash_;
    Statement write_audit_;
};

Result<void> SqliteStore::prepare_statements() {
    const std::string audit_page =
        std::string(kAuditColumns) + "WHERE seq>?1 ORDER BY seq LIMIT ?2";
    const std::pair<Statement*, const char*> all[] = {
        {&read_meta_, "SELECT value FROM meta WHERE name=?1"},
        {&write_meta_, "UPDATE meta SET value=?2 WHERE name=?1"},
        {&read_leader_, "SELECT revision FROM leader WHERE id=1"},
        {&write_leader_, "UPDATE leader SET revision=?1,owner=?2,since_wall_ms=?3 WHERE id=1"},
        {&read_entry_, "SELECT key,value,created,changed FROM entry WHERE key=?1"},
        {&write_entry_,
         "INSERT INTO entry VALUES(?1,?2,?3,?3) "
         "ON CONFLICT(key) DO UPDATE SET value=?2,changed=?3"},
        {&remove_entry_, "DELETE FROM entry WHERE key=?1"},
        {&list_up_,
         "SELECT key,value,created,changed FROM entry WHERE key>=?1 AND key>?2 AND "
         "(?3='' OR key<?3) ORDER BY key LIMIT ?4"},
        {&list_down_,
         "SELECT key,value,created,changed FROM entry WHERE key>=?1 AND (?2='' OR key<?2) AND "
         "(?3='' OR key<?3) ORDER BY key DESC LIMIT ?4"},
        {&read_audit_, audit_page.c_str()},
        {&read_audit_hash_, "SELECT hash FROM audit WHERE seq=?1"},
        {&write_audit_, "INSERT INTO audit VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)"},
    };
    for (const auto& [statement, sql] : all) {
        auto prepared = database_.prepare(sql);
        if (!prepared) return prepared.error();
        *statement = std::move(*prepared);
    }
    return {};
}

Result<std::uint64_t> SqliteStore::meta(const char* name) {
    const auto row = read_meta_.bind(1, std::string_view(name)).step();
    if (!row) return row.error();
    if (*row == Row::none) return Errc::damaged;
    const auto value = as_unsigned(read_meta_.integer(0));
    read_meta_.reset();
    return value;
}

Result<void> SqliteStore::set_meta(const char* name, std::uint64_t value) {
    return write_meta_.bind(1, std::string_view(name)).bind(2, as_signed(value)).run();
}

Result<void> SqliteStore::expect_leader(const Fence& fence) {
    const auto generation = meta("generation");
    if (!generation) return generation.error();
    const auto row = read_leader_.step();
    if (!row) return row.error();
    if (*row == Row::none) return Errc::damaged;
    const auto revision = as_unsigned(read_leader_.integer(0));
    read_leader_.reset();
    const bool ours =
        revision != 0 && fence.generation == *generation && fence.revision == revision;
    if (!ours) return Errc::not_leader;
    return {};
}

Result<void> SqliteStore::set_leader(const std::string& owner, std::uint64_t revision) {
    return write_leader_.bind(1, as_signed(revision)).bind(2, owner).bind(3, wall_ms_()).run();
}

Result<Fence> SqliteStore::acquire(const std::string& owner) {
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    const auto generation = meta("generation");
    if (!generation) return generation.error();
    const auto before = meta("revision");
    if (!before) return before.error();
    const auto revision = *before + 1;
    if (auto set = set_meta("revision", revision); !set) return set.error();
    if (auto set = set_leader(owner, revision); !set) return set.error();
    if (auto done = scope->commit(); !done) return done.error();
    return Fence{*generation, revision};
}

Result<void> SqliteStore::renew(const Fence& fence) {
    return expect_leader(fence);
}

Result<void> SqliteStore::release(const Fence& fence) {
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    if (auto ours = expect_leader(fence); !ours) return ours;
    if (auto set = set_leader("", 0); !set) return set;
    return scope->commit();
}

Result<Fence> SqliteStore::raise_generation(const Fence& fence) {
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    if (auto ours = expect_leader(fence); !ours) return ours.error();
    const Fence next{fence.generation + 1, fence.revision};
    if (auto set = set_meta("generation", next.generation); !set) return set.error();
    if (auto done = scope->commit(); !done) return done.error();
    return next;
}

Result<Committed> SqliteStore::commit(const Fence& fence, const Transaction& transaction) {
    if (!within_bounds(transaction)) return Errc::invalid;
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    if (auto ours = expect_leader(fence); !ours) return ours.error();
    for (const auto& compare : transaction.compares) {
        const auto entry = find(compare.key);
        if (!entry) return entry.error();
        if ((*entry ? (*entry)->changed : 0) != compare.changed) return Errc::conflict;
    }
    const auto before = meta("revision");
    if (!before) return before.error();
    Committed out;
    out.revision = *before + 1;
    if (auto set = set_meta("revision", out.revision); !set) return set.error();
    if (auto applied = apply(transaction, out.revision); !applied) return applied.error();
    const auto last = add_audit(transaction.audit);
    if (!last) return last.error();
    out.audit_last = *last;
    if (auto done = scope->commit(); !done) return done.error();
    return out;
}

Result<void> SqliteStore::apply(const Transaction& transaction, std::uint64_t revision) {
    for (const auto& write : transaction.writes) {
        auto& statement = write.value ? write_entry_ : remove_entry_;
        statement.bind(1, write.key);
        if (write.value) statement.bind(2, *write.value).bind(3, as_signed(revision));
        if (auto done = statement.run(); !done) return done;
    }
    return {};
}

Result<std::uint64_t> SqliteStore::add_audit(const std::vector<AuditDraft>& drafts) {
    auto last = meta("audit_last");
    if (!last || drafts.empty()) return last;
    const auto row = read_audit_hash_.bind(1, as_signed(*last)).step();
    if (!row) return row.error();
    auto hash = *row == Row::here ? read_audit_hash_.text(0) : std::string();
    read_audit_hash_.reset();
    for (const auto& draft : drafts) {
        AuditEntry line;
        line.who = cut(draft.who);
        line.from = cut(draft.from);
        line.action = cut(draft.action);
        line.object = cut(draft.object);
        line.result = cut(draft.result);
        line.detail = cut(draft.detail);
        line.seq = *last + 1;
        line.wall_ms = wall_ms_();
        line.hash = audit_hash(line, hash);
        write_audit_.bind(1, as_signed(line.seq)).bind(2, line.wall_ms).bind(3, line.who);
        write_audit_.bind(4, line.from).bind(5, line.action).bind(6, line.object);
        write_audit_.bind(7, line.result).bind(8, line.detail).bind(9, line.hash);
        if (auto done = write_audit_.run(); !done) return done.error();
        hash = line.hash;
        last = line.seq;
    }
    if (auto set = set_meta("audit_last", *last); !set) return set.error();
    return last;
}

Result<std::optional<Entry>> SqliteStore::find(const std::string& key) {
    const auto row = read_entry_.bind(1, key).step();
    if (!row) return row.error();
    if (*row == Row::none) return std::optional<Entry>();
    std::optional<Entry> out = read_entry(read_entry_);
    read_entry_.reset();
    return out;
}

Result<std::vector<Entry>> SqliteStore::list(const Range& range) {
    auto& statement = range.newest_first ? list_down_ : list_up_;
    const auto end = beyond(range.prefix);
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(range.limit, 1'000'000));
    statement.bind(1, range.prefix).bind(2, range.after).bind(3, end).bind(4, limit);
    std::vector<Entry> out;
    for (;;) {
        const auto row = statement.step();
        if (!row) return row.error();
        if (*row == Row::none) return out;
        out.push_back(read_entry(statement));
    }
}

Result<std::vector<AuditEntry>> SqliteStore::audit(std::uint64_t after, std::size_t limit) {
    const auto most = static_cast<std::int64_t>(std::clamp<std::size_t>(limit, 1, 1000));
    read_audit_.bind(1, as_signed(after)).bind(2, most);
    std::vector<AuditEntry> out;
    for (;;) {
        const auto row = read_audit_.step();
        if (!row) return row.error();
        if (*row == Row::none) return out;
        out.push_back(read_audit_row(read_audit_));
    }
}

Result<std::uint64_t> SqliteStore::audit_last() {
    return meta("audit_last");
}

Result<AuditCheck> SqliteStore::verify_audit() {
    const auto last = meta("audit_last");
    if (!last) return last.error();
    AuditCheck out;
    std::string hash;
    read_audit_.bind(1, std::int64_t{0}).bind(2, std::int64_t{-1});  // no limit
    for (;;) {
        const auto row = read_audit_.step();
        if (!row) return row.error();
        if (*row == Row::none) break;
        const auto line = read_audit_row(read_audit_);
        ++out.entries;
        if (!out.first_bad && (line.seq != out.entries || line.hash != audit_hash(line, hash)))
            out.first_bad = line.seq;
        hash = line.hash;
    }
    if (!out.first_bad && out.entries != *last) out.first_bad = std::min(out.entries, *last) + 1;
    return out;
}

OpenFailure failure_of(base::Error error, const std::string& file, const std::string& words) {
    std::string text = file + ": " + error.message();
    if (!words.empty()) text += " (" + words + ")";
    if (error == Errc::damaged)
        text += "; bring back a copy and raise its generation, or move it away to begin anew";
    return {error, text};
}

bool exists(const std::string& file) {
    struct stat facts{};
    return ::stat(file.c_str(), &facts) == 0;
}

std::string last_words() {
    return std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread opens stores
}

}  // namespace

std::unique_ptr<Store> open_sqlite(const SqliteSettings& settings, OpenFailure& failure) {
    const auto lock_file = settings.directory + "/store.lock";
    base::file::Descriptor lock(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock.is_open()) {
        failure = failure_of(Errc::unavailable, lock_file, last_words());
        return nullptr;
    }
    if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
        failure = failure_of(Errc::in_use, lock_file, {});
        return nullptr;
    }
    const auto file = settings.directory + "/store.db";
    // SQLite would begin a new file and throw the log away, and with it what it holds.
    if (!exists(file) && exists(file + "-wal")) {
        failure = failure_of(Errc::damaged, file, "missing, while its -wal is there");
        return nullptr;
    }
    // For us alone: it holds digests of passwords. SQLite gives its other files the same mode.
    if (!base::file::Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
             .is_open()) {
        failure = failure_of(Errc::unavailable, file, last_words());
        return nullptr;
    }
    auto database = Database::open(file);
    if (!database) {
        failure = failure_of(database.error(), file, {});
        return nullptr;
    }
    const auto pages = "PRAGMA max_page_count=" + std::to_string(settings.max_pages);
    auto good = database->execute(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON"
    );
    if (good && settings.max_pages > 0) good = database->execute(pages.c_str());
    if (good) good = prepare_file(*database, kSchema, true);
    if (!good) {
        failure = failure_of(good.error(), file, database->message());
        return nullptr;
    }
    auto store =
        std::make_unique<SqliteStore>(std::move(lock), std::move(*database), settings.wall_ms);
    if (auto prepared = store->prepare_statements(); !prepared) {
        failure = failure_of(prepared.error(), file, "a table is missing");
        return nullptr;
    }
    return store;
}

}  // namespace twinsite::switchover::store
