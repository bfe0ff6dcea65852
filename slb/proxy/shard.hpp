// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/error/result.hpp"
#include "slb/proxy/acceptor.hpp"
#include "slb/proxy/engine.hpp"
#include "slb/proxy/mailbox.hpp"
#include "slb/proxy/relay.hpp"
#include "slb/proxy/release.hpp"
#include "slb/proxy/settings.hpp"
#include "slb/proxy/status.hpp"

namespace twinsite::slb::proxy {

/// One thread with everything that the request path needs: poller, listeners, client and blade
/// links, relay. A turn: wait, act on all that arrived, send once per link.
/// Other threads talk to it by `call`. Tests may run the turns themselves instead of `start`.
class Shard {
public:
    /// `seed` feeds ties, jitter and the key of the session hash.
    Shard(const Settings& settings, std::uint64_t seed);
    ~Shard();
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    /// Opens the listeners of `settings` and closes those that are not in it; connections stay.
    /// On failure nothing has changed.
    base::Result<void> listen(const std::vector<base::net::Endpoint>& at);
    void start();
    /// Ends the thread at once.
    void stop();

    /// Any thread, while the shard runs: `work` in the shard's thread, and its result.
    template <class Work>
    auto call(Work work) -> std::invoke_result_t<Work> {
        std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
        auto outcome = task.get_future();
        mailbox_.post([&task] { task(); });
        return outcome.get();
    }

    // Shard thread (or inside `call`).
    base::Result<void> use(const Settings& settings);
    ShardStatus status();
    std::vector<base::net::Endpoint> endpoints() const;
    /// Asks the clients of this moment to leave, see Release. Nothing when the shard drains.
    void release(double per_second);
    void stop_release();
    ReleaseStatus release_status() const { return release_.status(); }
    /// Accepts nothing new, says good-bye to clients, waits for their answers, then to the blades,
    /// then calls `drained` (in the shard's thread).
    void drain(std::function<void()> drained);
    /// One turn; waits at most `limit` for something to do.
    void turn(std::chrono::milliseconds limit);
    Relay& relay() { return relay_; }
    Engine& engine() { return engine_; }

private:
    enum class Phase : std::uint8_t { serving, leaving_clients, leaving_blades, drained };

    void accept(base::file::Descriptor socket);
    void tick();
    void drain_step();
    std::chrono::milliseconds until_tick() const;

    Engine engine_;
    Mailbox mailbox_;
    Settings settings_;
    Relay relay_;
    Release release_;
    std::vector<std::unique_ptr<Acceptor>> acceptors_;
    Engine::Time next_tick_{};
    Phase phase_ = Phase::serving;
    std::function<void()> drained_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace twinsite::slb::proxy
