// SPDX-License-Identifier: Apache-2.0
#include "switchover/lead/leader.hpp"

#include <utility>

#include "base/log/log.hpp"

namespace twinsite::switchover::lead {

using store::Errc;
using store::Result;

Leader::Leader(store::Store& store, std::string owner) : store_(store), owner_(std::move(owner)) {}

Result<store::Fence> Leader::take() {
    auto taken = store_.acquire(owner_);
    if (taken) {
        fence_ = *taken;
        base::log::event(
            base::log::Level::info,
            "leadership_taken",
            {{"owner", owner_}, {"fence", wire::contract::to_string(*taken)}}
        );
    }
    return taken;
}

void Leader::lose() {
    if (!fence_) return;
    base::log::event(
        base::log::Level::error,
        "leadership_lost",
        {{"owner", owner_}, {"fence", wire::contract::to_string(*fence_)}}
    );
    fence_.reset();
}

void Leader::check() {
    if (!fence_) return;
    const auto still = store_.renew(*fence_);
    if (!still && still.error() == Errc::not_leader) lose();
}

void Leader::give_up() {
    if (!fence_) return;
    // Not being able to is no harm: the next one takes it anyway.
    static_cast<void>(store_.release(*fence_));
    fence_.reset();
}

Result<store::Fence> Leader::raise_generation() {
    if (!fence_) return Errc::not_leader;
    auto raised = store_.raise_generation(*fence_);
    if (raised)
        fence_ = *raised;
    else if (raised.error() == Errc::not_leader)
        lose();
    return raised;
}

Result<store::Committed> Leader::commit(const store::Transaction& transaction) {
    if (!fence_) return Errc::not_leader;
    auto done = store_.commit(*fence_, transaction);
    if (!done && done.error() == Errc::not_leader) lose();
    return done;
}

Result<std::vector<store::RunRecord>> adopt_runs(store::Store& store, Leader& leader) {
    auto runs = store::active_runs(store);
    if (!runs || runs->empty()) return runs;
    store::Transaction transaction;
    for (const auto& run : *runs)
        transaction.audit.push_back(
            {"switchover", "", "run.adopt", run.id, "done", "found unfinished at the start"}
        );
    if (auto done = leader.commit(transaction); !done) return done.error();
    return runs;
}

}  // namespace twinsite::switchover::lead
