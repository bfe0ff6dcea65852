// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/io/poller.hpp"
#include "tools/load/options.hpp"
#include "tools/load/workload.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::tools::load {

/// Drives all clients over their sockets from one thread: connects, paces, reads and writes in
/// batches, dials again, ends.
class Generator {
public:
    enum class Outcome : std::uint8_t { finished, unreachable };

    explicit Generator(Options options);
    ~Generator();

    /// Returns when the load is done, or when not all connections could be made at the start; then
    /// `problem` says why.
    Outcome run();
    const Counters& counters() const { return counters_; }
    std::chrono::nanoseconds elapsed() const { return last_answer_ - started_; }
    const std::string& problem() const { return problem_; }

private:
    using Time = wire::diameter::Time;
    struct Link;
    enum class Phase : std::uint8_t { connecting, loading, draining, leaving, over };

    void turn();
    std::chrono::nanoseconds time_to_wait(Time now) const;
    void handle(const io::Poller::Ready& event, Time now);
    void finish_connect(std::size_t index, Time now);
    void read_from(std::size_t index, Time now);
    void take_messages(std::size_t index, Time now);
    void feed(std::size_t index, const wire::diameter::Event& event, Time now);
    void obey(std::size_t index, const wire::diameter::Actions& actions, Time now);
    void dial(std::size_t index, Time now);
    void link_down(std::size_t index, Time now);
    void close(std::size_t index);
    void mark(std::size_t index);
    void flush_all(Time now);
    void flush(std::size_t index, Time now);
    void pace(Time now);
    void issue_due(Time until, Time now);
    std::optional<std::size_t> next_link();
    void check_timers(Time now);
    void check_phase(Time now);
    void check_connecting(Time now);
    bool all_done() const;
    void leave(Time now);
    void print_progress(Time now);
    void take_signal();
    void stop_loading();

    // fixed after construction
    const Options options_;
    // owned by the one thread
    io::Poller poller_;
    base::file::Descriptor signals_;
    Workload workload_;
    Counters counters_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::size_t> touched_;  ///< links with something to write
    Phase phase_ = Phase::connecting;
    Time started_{};
    Time last_answer_{};
    Time give_up_connecting_{};
    Time leave_by_{};
    Time next_timer_check_{};
    Time next_progress_{};
    std::uint64_t due_count_ = 0;  ///< open loop: requests that have come due
    std::size_t next_link_ = 0;
    std::uint64_t answered_before_ = 0;  ///< at the last progress line
    std::string problem_;
};

}  // namespace twinsite::tools::load
