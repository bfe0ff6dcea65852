// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/async/task_group.hpp"
#include "base/crypto/trust.hpp"
#include "monitor/action/definition.hpp"
#include "monitor/action/journal.hpp"
#include "monitor/action/program.hpp"
#include "monitor/action/refusal.hpp"
#include "monitor/report/clocks.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::monitor::action {

/// The actions of actions.yaml that may be used, and what keeps others from being used.
struct LoadedActions {
    Actions actions;
    std::vector<std::string> findings;
};
/// Reads the file and looks at every program and user it names.
LoadedActions load_actions(const std::string& file);

struct OperationCounters {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;    ///< Done with another exit code than 0, or timed out.
    std::uint64_t refused = 0;   ///< Commands, each time.
    std::uint64_t repeated = 0;  ///< Answered from the journal.
};

/// Carries out commands: whose signature, sender, fence, age and parameters are right, once each.
/// One thread.
class Operations {
public:
    struct Settings {
        std::string agent;      ///< Our host id.
        std::string directory;  ///< For journal and fence.
        std::string ca;         ///< PEM file of those who certify servers.
        std::string crl;        ///< May be empty.
        std::uint32_t max_parallel = 8;
    };
    using OnEnd = std::function<void(const wire::contract::CommandResult&)>;

    /// Opens journal, fence and trust. Throws base::daemon::StartError when one of them cannot be
    /// used: they decide what may be done, so without them nothing may.
    Operations(
        const boost::asio::any_io_executor& executor,
        Settings settings,
        report::Clocks clocks,
        OnEnd on_end
    );

    void use(Actions actions) { actions_ = std::move(actions); }
    /// What is known of the operation now: refused, running, or its end (from the journal, when it
    /// is known already). `on_end` tells the end of what is running.
    wire::contract::CommandResult submit(const wire::contract::Command& command);
    /// Highest fence of an accepted command.
    wire::contract::Fence fence() const;
    const OperationCounters& counters() const { return counters_; }
    std::size_t running() const { return running_; }
    /// Starts nothing more; `ended` is called when nothing runs.
    void drain(std::function<void()> ended);
    /// Kills what runs: those operations are lost.
    void stop() { tasks_.cancel(); }

private:
    using Time = std::chrono::milliseconds;
    struct Usage {
        std::uint32_t running = 0;
        std::optional<Time> started;  ///< Last start.
    };

    std::optional<Refusal> find_forgery(const wire::contract::Command& command);
    std::optional<Refusal> raise_fence(const wire::contract::Command& command);
    std::optional<Refusal> find_obstacle(const Action& action);
    wire::contract::CommandResult begin(
        const wire::contract::Command& command, const std::string& content
    );
    wire::contract::CommandResult refuse(
        const wire::contract::Command& command, const Refusal& refusal, bool remember
    );
    void tell_refusal(const wire::contract::Command& command, const Refusal& refusal);
    boost::asio::awaitable<void> carry_out(
        Journal::Record record, std::string action, ProgramCall call
    );
    void end(Journal::Record record, const std::string& action);

    const Settings settings_;
    const report::Clocks clocks_;
    const OnEnd on_end_;
    base::crypto::TrustFiles trust_;
    Journal journal_;
    wire::contract::FenceGuard fences_;
    Actions actions_;
    std::map<std::string, Usage> usage_;  ///< By action.
    std::size_t running_ = 0;
    bool draining_ = false;
    std::function<void()> ended_;
    OperationCounters counters_;
    Time minute_{};                ///< Begin of the minute of the next two.
    std::uint32_t told_ = 0;       ///< Refusals logged in it.
    std::uint64_t held_back_ = 0;  ///< Refusals not logged, for the next one that is.
    base::async::TaskGroup tasks_;
};

}  // namespace twinsite::monitor::action
