// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "switchover/store/store.hpp"

namespace twinsite::switchover::store {

struct SqliteSettings {
    std::string directory;  ///< Holds store.db (with -wal, -shm) and store.lock. On a local disk.
    /// Unix time in ms, for the audit.
    std::function<std::int64_t()> wall_ms;
    std::uint64_t max_pages = 0;  ///< Of 4 KiB; beyond: full. 0: as large as the disk.
};

/// What went wrong at opening, with words for the person who must mend it.
struct OpenFailure {
    base::Error error;
    std::string text;
};

/// The store in one SQLite file: WAL, synced at every transaction. The lock file keeps a second
/// process out. Opening checks the file as a whole (quick_check): a damaged one is refused, never
/// used in part.
std::unique_ptr<Store> open_sqlite(const SqliteSettings& settings, OpenFailure& failure);

}  // namespace twinsite::switchover::store
