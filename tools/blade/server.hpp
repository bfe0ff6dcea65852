// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/error/result.hpp"
#include "tools/blade/charging.hpp"
#include "tools/blade/options.hpp"
#include "tools/blade/stats_json.hpp"
#include "tools/io/poller.hpp"
#include "tools/io/stream.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::tools::blade {

/// The links of the blade: accepts, frames, lets `Charging` answer, writes once per turn. One
/// thread.
class Server {
public:
    explicit Server(Options options);
    ~Server();

    /// Where it listens; the port that the kernel chose when 0 was asked for.
    base::Result<base::net::Endpoint> listen();
    /// Serves until SIGTERM or SIGINT and all peers have been told.
    void run();
    std::string stats() const;

private:
    using Time = wire::diameter::Time;
    struct Link;
    struct Delayed {
        Time due;
        std::size_t link;
        std::uint32_t generation;
        std::size_t bytes;
    };

    void turn();
    std::optional<std::chrono::nanoseconds> time_to_wait(Time now) const;
    void accept_all(Time now);
    void read_from(std::size_t index, Time now);
    void take_messages(std::size_t index, Time now);
    void feed(std::size_t index, const wire::diameter::Event& event, Time now);
    void release_due(Time now);
    void check_timers(Time now);
    void flush_all();
    void flush(std::size_t index);
    void close(std::size_t index);
    void mark(std::size_t index);
    void stop(Time now);
    void write_stats_file(Time now);

    // fixed after construction
    const Options options_;
    const wire::diameter::Identity self_;
    // owned by the one thread
    io::Poller poller_;
    base::file::Descriptor signals_;
    base::file::Descriptor listener_;
    Charging charging_;
    std::vector<std::unique_ptr<Link>> links_;  ///< a null place is free
    std::vector<std::size_t> free_;
    std::vector<std::size_t> touched_;  ///< links with something to write
    std::deque<Delayed> delayed_;       ///< answers not due yet, oldest first
    wire::diameter::Actions actions_;
    LinkStats link_stats_;
    std::uint32_t next_generation_ = 1;
    Time next_timer_check_{};
    Time next_stats_{};
    bool stopping_ = false;
};

}  // namespace twinsite::tools::blade
