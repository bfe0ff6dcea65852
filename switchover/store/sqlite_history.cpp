// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <thread>

#include <fcntl.h>

#include "base/file/descriptor.hpp"
#include "base/log/log.hpp"
#include "switchover/store/history.hpp"
#include "switchover/store/sqlite.hpp"
#include "switchover/store/sqlite_schema.hpp"

namespace twinsite::switchover::store {
namespace {

using base::Result;

constexpr std::chrono::minutes kPruneEvery{1};
constexpr std::int64_t kPrunedAtOnce = 20'000;  // rows, so that the writer is never long away

constexpr Schema kSchema{
    0x74736869,  // "tshi"
    1,
    R"(CREATE TABLE series(id INTEGER PRIMARY KEY, host TEXT NOT NULL, metric TEXT NOT NULL,
         UNIQUE(host,metric));
       CREATE TABLE point(series INTEGER NOT NULL, wall_ms INTEGER NOT NULL, value REAL NOT NULL,
         PRIMARY KEY(series,wall_ms)) WITHOUT ROWID;
       CREATE INDEX point_age ON point(wall_ms);)"
};

std::int64_t wall_now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch()
    )
        .count();
}

Result<Database> open_file(const std::string& file) {
    // For us alone, like the store.
    const base::file::Descriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!made.is_open()) return Errc::unavailable;
    auto database = Database::open(file);
    if (!database) return database;
    // Synced at checkpoints only: losing the last seconds at a power cut is no harm here.
    auto good = database->execute(
        "PRAGMA auto_vacuum=INCREMENTAL;PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL"
    );
    if (good) good = prepare_file(*database, kSchema, false);
    if (!good) return good.error();
    return database;
}

/// The writing side: belongs to the writer thread once that runs.
class Writer {
public:
    Writer(Database database, const HistorySettings& settings)
        : database_(std::move(database)), settings_(settings) {}

    Result<void> prepare();
    Result<void> write(const std::vector<HistoryPoint>& points);
    Result<void> prune();

private:
    Result<std::int64_t> series_of(const HistoryPoint& point);
    Result<std::int64_t> remove_before(std::int64_t wall_ms);

    Database database_;
    const HistorySettings settings_;
    std::map<std::pair<std::string, std::string>, std::int64_t> series_;
    Statement find_series_;
    Statement add_series_;
    Statement add_point_;
    Statement remove_points_;
    Statement remove_series_;
};

Result<void> Writer::prepare() {
    const std::pair<Statement*, const char*> all[] = {
        {&find_series_, "SELECT id FROM series WHERE host=?1 AND metric=?2"},
        {&add_series_, "INSERT INTO series(host,metric) VALUES(?1,?2) RETURNING id"},
        {&add_point_, "INSERT OR REPLACE INTO point VALUES(?1,?2,?3)"},
        {&remove_points_,
         "DELETE FROM point WHERE (series,wall_ms) IN "
         "(SELECT series,wall_ms FROM point WHERE wall_ms<?1 ORDER BY wall_ms LIMIT ?2)"},
        {&remove_series_,
         "DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM point WHERE point.series=series.id)"},
    };
    for (const auto& [statement, sql] : all) {
        auto prepared = database_.prepare(sql);
        if (!prepared) return prepared.error();
        *statement = std::move(*prepared);
    }
    return {};
}

Result<std::int64_t> Writer::series_of(const HistoryPoint& point) {
    const auto key = std::pair(point.host, point.metric);
    if (const auto known = series_.find(key); known != series_.end()) return known->second;
    std::int64_t id = 0;
    for (auto* statement : {&find_series_, &add_series_}) {
        const auto row = statement->bind(1, point.host).bind(2, point.metric).step();
        if (!row) return row.error();
        if (*row == Row::none) continue;
        id = statement->integer(0);
        // To its end, else the insertion would count as unfinished at COMMIT.
        const auto end = statement->step();
        statement->reset();
        if (!end) return end.error();
        break;
    }
    series_.emplace(key, id);
    return id;
}

Result<void> Writer::write(const std::vector<HistoryPoint>& points) {
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    for (const auto& point : points) {
        const auto series = series_of(point);
        auto done =
            series ? add_point_.bind(1, *series).bind(2, point.wall_ms).bind(3, point.value).run()
                   : Result<void>(series.error());
        if (done) continue;
        series_.clear();  // those made in this transaction are gone with it
        return done;
    }
    auto done = scope->commit();
    if (!done) series_.clear();
    return done;
}

Result<std::int64_t> Writer::remove_before(std::int64_t wall_ms) {
    auto scope = WriteScope::begin(database_);
    if (!scope) return scope.error();
    if (auto done = remove_points_.bind(1, wall_ms).bind(2, kPrunedAtOnce).run(); !done)
        return done.error();
    const auto removed = database_.changes();
    if (removed > 0) {
        if (auto done = remove_series_.run(); !done) return done.error();
        series_.clear();  // a number that is free is given to another one
    }
    if (auto done = scope->commit(); !done) return done.error();
    return removed;
}

Result<void> Writer::prune() {
    const auto keep = std::chrono::duration_cast<std::chrono::milliseconds>(settings_.keep);
    auto removed = remove_before(wall_now_ms() - keep.count());
    if (!removed) return removed.error();
    const auto pages = database_.number(
        "SELECT (SELECT page_count FROM pragma_page_count) - "
        "(SELECT freelist_count FROM pragma_freelist_count)"
    );
    if (!pages) return pages.error();
    const auto size = database_.number("PRAGMA page_size");
    if (!size) return size.error();
    if (static_cast<std::uint64_t>(*pages) * static_cast<std::uint64_t>(*size) >
        settings_.max_bytes) {
        const auto oldest = database_.number("SELECT coalesce(min(wall_ms),0) FROM point");
        if (!oldest) return oldest.error();
        removed = remove_before(*oldest + std::chrono::milliseconds(std::chrono::hours(1)).count());
        if (!removed) return removed.error();
    }
    return database_.execute("PRAGMA incremental_vacuum(2000)");
}

class SqliteHistory final : public History {
public:
    SqliteHistory(HistorySettings settings, Writer writer, Database reader)
        : settings_(std::move(settings)), writer_(std::move(writer)), reader_(std::move(reader)) {}
    ~SqliteHistory() override;

    Result<void> start();
    void append(std::vector<HistoryPoint> points) override;
    Result<std::vector<std::pair<std::int64_t, double>>> query(
        const std::string& host,
        const std::string& metric,
        std::int64_t since_wall_ms,
        std::size_t limit
    ) override;
    Result<std::vector<std::string>> metrics(const std::string& host) override;
    void flush() override;
    HistoryCounters counters() const override;

private:
    void work();
    void write_out(const std::vector<HistoryPoint>& points, bool prune);

    const HistorySettings settings_;
    // owned by the writer thread
    Writer writer_;
    bool failing_ = false;
    // owned by the thread that asks
    Database reader_;
    Statement count_;
    Statement read_;
    Statement names_;
    // shared, under the mutex: a queue between two threads that both may wait
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable flushed_;
    std::vector<HistoryPoint> queue_;
    HistoryCounters counters_;
    std::uint64_t flush_wanted_ = 0;
    std::uint64_t flush_done_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

Result<void> SqliteHistory::start() {
    const std::pair<Statement*, const char*> all[] = {
        {&count_,
         "SELECT count(*) FROM point WHERE series=(SELECT id FROM series WHERE host=?1 AND "
         "metric=?2) AND wall_ms>=?3"},
        {&read_,
         "SELECT wall_ms,value FROM point WHERE series=(SELECT id FROM series WHERE host=?1 AND "
         "metric=?2) AND wall_ms>=?3 ORDER BY wall_ms"},
        {&names_, "SELECT metric FROM series WHERE host=?1 ORDER BY metric"},
    };
    for (const auto& [statement, sql] : all) {
        auto prepared = reader_.prepare(sql);
        if (!prepared) return prepared.error();
        *statement = std::move(*prepared);
    }
    if (auto prepared = writer_.prepare(); !prepared) return prepared;
    thread_ = std::thread([this] { work(); });
    return {};
}

SqliteHistory::~SqliteHistory() {
    {
        const std::lock_guard hold(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void SqliteHistory::append(std::vector<HistoryPoint> points) {
    const std::lock_guard hold(mutex_);
    const auto room = settings_.queue - std::min(settings_.queue, queue_.size());
    const auto taken = std::min(room, points.size());
    counters_.dropped += points.size() - taken;
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(taken);
    queue_.insert(
        queue_.end(), std::make_move_iterator(points.begin()), std::make_move_iterator(end)
    );
}

Result<std::vector<std::pair<std::int64_t, double>>> SqliteHistory::query(
    const std::string& host,
    const std::string& metric,
    std::int64_t since_wall_ms,
    std::size_t limit
) {
    const auto counted = count_.bind(1, host).bind(2, metric).bind(3, since_wall_ms).step();
    if (!counted) return counted.error();
    const auto all = *counted == Row::here ? static_cast<std::size_t>(count_.integer(0)) : 0;
    count_.reset();
    // Every n-th, counted from the end: the newest value is always there.
    const auto each = std::max<std::size_t>(1, (all + limit - 1) / std::max<std::size_t>(1, limit));
    std::vector<std::pair<std::int64_t, double>> out;
    read_.bind(1, host).bind(2, metric).bind(3, since_wall_ms);
    for (std::size_t at = 0;; ++at) {
        const auto row = read_.step();
        if (!row) return row.error();
        if (*row == Row::none) return out;
        // A writer may have added some since they were counted.
        if (at >= all || (all - 1 - at) % each == 0)
            out.emplace_back(read_.integer(0), read_.real(1));
    }
}

Result<std::vector<std::string>> SqliteHistory::metrics(const std::string& host) {
    std::vector<std::string> out;
    names_.bind(1, host);
    for (;;) {
        const auto row = names_.step();
        if (!row) return row.error();
        if (*row == Row::none) return out;
        out.push_back(names_.text(0));
    }
}

void SqliteHistory::flush() {
    std::unique_lock hold(mutex_);
    const auto mine = ++flush_wanted_;
    wake_.notify_one();
    flushed_.wait(hold, [&] { return flush_done_ >= mine; });
}

HistoryCounters SqliteHistory::counters() const {
    const std::lock_guard hold(mutex_);
    return counters_;
}

void SqliteHistory::work() {
    auto next_prune = std::chrono::steady_clock::now();
    std::unique_lock hold(mutex_);
    for (;;) {
        wake_.wait_for(hold, settings_.write_every, [&] {
            return ending_ || flush_wanted_ > flush_done_;
        });
        const auto flushing = flush_wanted_;
        const bool last = ending_;
        const auto now = std::chrono::steady_clock::now();
        const bool prune = flushing > flush_done_ || now >= next_prune;
        if (prune) next_prune = now + kPruneEvery;
        std::vector<HistoryPoint> points;
        points.swap(queue_);
        hold.unlock();
        write_out(points, prune);
        hold.lock();
        flush_done_ = flushing;
        flushed_.notify_all();
        if (last) return;
    }
}

void SqliteHistory::write_out(const std::vector<HistoryPoint>& points, bool prune) {
    auto done = points.empty() ? Result<void>() : writer_.write(points);
    const bool written = done.has_value();
    if (prune) {
        const auto pruned = writer_.prune();
        if (done) done = pruned;
    }
    {
        const std::lock_guard hold(mutex_);
        if (written)
            counters_.written += points.size();
        else
            counters_.dropped += points.size();
        if (!done) ++counters_.errors;
    }
    if (!done && !failing_)
        base::log::event(
            base::log::Level::error,
            "history_failed",
            {{"file", settings_.file}, {"error", done.error().message()}}
        );
    failing_ = !done;
}

/// A second try with a new file when the first is damaged.
Result<Database> open_or_replace(const std::string& file) {
    auto database = open_file(file);
    if (database || database.error() != Errc::damaged) return database;
    base::log::event(base::log::Level::error, "history_replaced", {{"file", file}});
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        const auto from = file + suffix;
        std::rename(from.c_str(), (file + ".damaged" + suffix).c_str());
    }
    return open_file(file);
}

}  // namespace

Result<std::unique_ptr<History>> History::open(const HistorySettings& settings) {
    auto database = open_or_replace(settings.file);
    if (!database) return database.error();
    auto reader = Database::open(settings.file);
    if (!reader) return reader.error();
    auto history = std::make_unique<SqliteHistory>(
        settings, Writer(std::move(*database), settings), std::move(*reader)
    );
    if (auto started = history->start(); !started) return started.error();
    return std::unique_ptr<History>(std::move(history));
}

}  // namespace twinsite::switchover::store
