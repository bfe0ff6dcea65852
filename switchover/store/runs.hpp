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

/// The id of the n-th run of a generation. A store that was brought back from a copy counts again
/// what it forgot; its next generation keeps the ids apart.
std::string run_id(std::uint64_t generation, std::uint64_t number);
/// The number of the last run that was saved; 0: none yet.
Result<std::uint64_t> last_run_number(Store& store);

/// Adds to `transaction` what saves `run`, on the condition that nobody saved it since it was
/// loaded (`run.changed`).
void save_run(Transaction& transaction, const RunRecord& run);
/// The same for a new run, which takes `number`; `source` is the text of its scenario, kept once
/// under its `hash`: the run ends by the text it began with.
void save_new_run(
    Transaction& transaction,
    const RunRecord& run,
    std::uint64_t number,
    const std::string& hash,
    const std::string& source
);
Result<std::optional<RunRecord>> load_run(Store& store, const std::string& id);
Result<std::optional<std::string>> load_source(Store& store, const std::string& hash);
/// All that did not end, oldest first.
Result<std::vector<RunRecord>> active_runs(Store& store);
/// Newest first, those older than `before` (empty: from the newest).
Result<std::vector<RunRecord>> list_runs(
    Store& store, std::size_t limit, const std::string& before = {}
);

}  // namespace twinsite::switchover::store
