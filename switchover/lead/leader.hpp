// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "switchover/store/runs.hpp"
#include "switchover/store/store.hpp"

namespace twinsite::switchover::lead {

/// The leadership of this process: taken anew at each start, so that the fence of an earlier life
/// is refused everywhere. One thread. The store outlives it.
class Leader {
public:
    /// `owner`: who we are, for people ("sw-arbiter").
    Leader(store::Store& store, std::string owner);

    /// Takes the leadership; what an earlier process left unfinished can then be adopted.
    store::Result<store::Fence> take();
    /// Looks whether we still lead. A failure to read is not yet a loss.
    void check();
    void give_up();

    bool leads() const { return fence_.has_value(); }
    /// Only while `leads`.
    const store::Fence& fence() const { return *fence_; }
    store::Result<store::Fence> raise_generation();

    /// Writes with our fence. When the store says that another leads, we do not any more.
    store::Result<store::Committed> commit(const store::Transaction& transaction);

private:
    void lose();

    store::Store& store_;
    const std::string owner_;
    std::optional<store::Fence> fence_;
};

/// Runs that did not end, oldest first. Each gets a line in the audit: a run belongs to nobody
/// only until the next start.
store::Result<std::vector<store::RunRecord>> adopt_runs(store::Store& store, Leader& leader);

}  // namespace twinsite::switchover::lead
