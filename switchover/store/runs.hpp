// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "switchover/store/store.hpp"

namespace twinsite::switchover::store {

/// A run as it is kept: `body` is the JSON of the scenario room, not looked into here.
struct RunRecord {
    std::string id;  ///< "r01-000017": generation and number; sorts by age.
    bool active = true;
    std::string body;
    std::uint64_t changed = 0;  ///< Revision of the last save; 0: not saved yet.
};

/// The keys of runs. Active runs stand under a prefix of their own beside, so that a start finds
/// them without reading old ones.
std::string run_key(const std::string& id);
/// A number never given before, for the id of a new run; kept in the same transaction as the run.
std::string run_id(std::uint64_t generation, std::uint64_t number);
Result<std::uint64_t> last_run_number(Store& store);

/// Adds to `transaction` what saves `run`, on the condition that nobody saved it since it was
/// loaded (`run.changed`). A new run (changed 0) also takes its `number`.
void save_run(Transaction& transaction, const RunRecord& run, std::uint64_t number = 0);
Result<std::optional<RunRecord>> load_run(Store& store, const std::string& id);
/// All that did not end, oldest first.
Result<std::vector<RunRecord>> active_runs(Store& store);
/// Newest first, those older than `before` (empty: from the newest).
Result<std::vector<RunRecord>> list_runs(
    Store& store, std::size_t limit, const std::string& before = {}
);

}  // namespace twinsite::switchover::store
