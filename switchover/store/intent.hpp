// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "switchover/store/store.hpp"

/// What people and runs want, as it outlives a restart: wanted states, modes, the pause,
/// cool-downs.
namespace twinsite::switchover::store {

struct FormerWanted {
    std::string state;
    std::string reason;
    std::string by;
    std::int64_t since_wall_ms = 0;
};

/// One controlled object of one kind of receiver. Objects in state `in` or `active` are not kept.
struct WantedState {
    std::string receiver;  ///< "gslb" (all of them), or "slb/NAME"
    std::string object;    ///< "site:east", "service:ocs@east", "blade:b1"
    std::string state;     ///< "out", "drain"
    std::string reason;
    std::string by;  ///< Operation of a run, or person.
    std::int64_t since_wall_ms = 0;
    /// What was wanted before: to go back to when the change is refused, also after a restart.
    std::optional<FormerWanted> former{};
};
Result<std::vector<WantedState>> wanted_states(Store& store);
void save_wanted(Transaction& transaction, const WantedState& wanted);
void remove_wanted(
    Transaction& transaction, const std::string& receiver, const std::string& object
);

struct Pause {
    std::string by;
    std::string reason;
    std::int64_t since_wall_ms = 0;
    std::optional<std::int64_t> until_wall_ms;
};
Result<std::optional<Pause>> find_pause(Store& store);
void save_pause(Transaction& transaction, const std::optional<Pause>& pause);

/// What an operator set for a scenario, in place of its file's mode.
struct ModeSetting {
    std::string mode;  ///< auto | semi | off
    std::string by;
    std::string reason;
    std::int64_t since_wall_ms = 0;
};
Result<std::map<std::string, ModeSetting>> modes(Store& store);
void save_mode(
    Transaction& transaction, const std::string& scenario, const std::optional<ModeSetting>& mode
);

/// When the scenario's last automatic run ended. Wall time: it must outlive a restart, and a step
/// of the clock only lengthens or shortens one pause.
Result<std::map<std::string, std::int64_t>> last_ends(Store& store);
void save_last_end(Transaction& transaction, const std::string& scenario, std::int64_t wall_ms);

/// The run that answered a scenario's trigger, until what fired it is over: the same incident
/// starts no second run, also not after a restart.
Result<std::map<std::string, std::string>> answered_triggers(Store& store);
void save_answered(
    Transaction& transaction, const std::string& scenario, const std::optional<std::string>& run
);

/// What a request with an Idempotency-Key led to, so that its repeat does nothing new.
struct Answer {
    std::string run;
    std::string digest;  ///< Of the request.
    std::int64_t wall_ms = 0;
};
Result<std::optional<Answer>> find_answer(Store& store, const std::string& key);
void save_answer(Transaction& transaction, const std::string& key, const Answer& answer);
/// Adds to `transaction` the removal of answers older than `before_wall_ms`.
Result<void> forget_answers(Store& store, Transaction& transaction, std::int64_t before_wall_ms);

}  // namespace twinsite::switchover::store
