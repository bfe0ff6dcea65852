// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <boost/asio/steady_timer.hpp>

namespace boost::asio {
class io_context;
}

namespace twinsite::base::daemon {

/// Notices from a thread of its own that an event loop does not turn any more: whatever works there
/// (checks, control) stands still then, while other threads go on with what it left. Logs
/// loop_stalled once for each time, and loop_resumed.
class LoopWatch {
public:
    struct Settings {
        std::chrono::milliseconds beat{500};     ///< The loop is to give a sign this often.
        std::chrono::milliseconds limit{5'000};  ///< Without one for so long it is stalled.
    };
    /// `on_change` (may be empty) hears of each stall and of its end, on the watching thread.
    LoopWatch(
        boost::asio::io_context& io,
        Settings settings,
        std::function<void(bool stalled)> on_change = {}
    );
    explicit LoopWatch(boost::asio::io_context& io);
    /// On the loop's thread, or when the loop does not run.
    ~LoopWatch();
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

    /// Stalls so far. Any thread.
    std::uint64_t stalls() const { return stalls_.load(); }

private:
    using Clock = std::chrono::steady_clock;
    void beat();
    void watch();
    void judge(Clock::time_point now);

    // fixed after construction
    const Settings settings_;
    const std::function<void(bool)> on_change_;
    // owned by the loop
    boost::asio::steady_timer timer_;
    std::shared_ptr<char> alive_ = std::make_shared<char>();  ///< for handlers queued at our end
    // any thread
    std::atomic<Clock::rep> last_beat_;
    std::atomic<std::uint64_t> stalls_{0};
    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;  ///< under mutex_
    // owned by the watching thread
    bool stalled_ = false;
    std::thread thread_;
};

}  // namespace twinsite::base::daemon
