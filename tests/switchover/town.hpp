// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "switchover/conductor.hpp"
#include "switchover/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover {

/// Two sites and an arbiter around a conductor with a real store: what lives, and what does not, is
/// set by the test; time passes when it says so.
class Town {
public:
    explicit Town(std::vector<std::string> sources = {kEastDown, kFailback});

    /// Time passes in steps of 500 ms: everything that lives reports, the conductor ticks, and
    /// effects are answered unless `hold_effects`.
    void pass(std::chrono::milliseconds duration);
    /// Until `done`, at most so long; false: it did not happen.
    bool pass_until(const std::function<bool()>& done, std::chrono::seconds most);
    /// The server is killed and started again `down` later. Nothing is said goodbye to.
    void restart(std::chrono::milliseconds down = std::chrono::milliseconds(2'000));

    /// As the server does when its store could not be written at the start.
    void lead();

    Conductor& conductor() { return *conductor_; }
    store::Store& store() { return *store_; }
    const Assessment& assessment(const std::string& scenario) {
        return *conductor_->assessor().find(scenario);
    }
    /// Runs in the store, newest first.
    std::vector<scenario::Run> stored_runs();
    std::size_t begun() { return stored_runs().size(); }
    bool is_wanted_out(const std::string& site) {
        return is_out(conductor_->wanted_states(), site);
    }
    std::int64_t wall() const { return wall_; }
    /// The wall clock is set; time does not pass.
    void step_clock(std::chrono::seconds by) { wall_ += std::chrono::milliseconds(by).count(); }
    /// Lines of the audit with this action.
    std::size_t audited(const std::string& action);

    // What lives.
    bool east = true;
    bool west = true;
    bool east_sees_west = true;  ///< Probes between the sites.
    bool arbiter_sees_east = true;
    bool link = true;   ///< The server's own: else it hears nobody.
    bool users = true;  ///< They get good answers.
    bool hold_effects = false;
    bool takes_lead = true;                        ///< The next start can take the leadership.
    std::map<std::string, std::string> processes;  ///< State of "charging", by host; else none.

    /// What an agent has done: operation ids and how often each was executed.
    std::map<std::string, unsigned> executed;
    /// Effects that wait, with `hold_effects`.
    struct Pending {
        scenario::Effect effect;
        std::function<void(scenario::Event)> report;
    };
    std::vector<Pending> pending;
    unsigned dropped = 0;  ///< How often all effects were dropped.
    void answer_effects();

    static const char* const kEastDown;
    static const char* const kFailback;

private:
    void build();
    void report_all();
    void report_host(const std::string& site, const std::string& name);
    void probe(const std::string& observer, const std::string& site, bool ok);
    void answer(const Pending& each);

    tests::TemporaryFolder folder_;
    Config config_;
    Book book_;
    model::Time now_{std::chrono::hours(100)};
    std::int64_t wall_ = 1'790'000'000'000;
    std::uint64_t seq_ = 0;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<lead::Leader> leader_;
    std::unique_ptr<Conductor> conductor_;
};

}  // namespace twinsite::switchover
