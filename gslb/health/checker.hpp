// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/health/check.hpp"
#include "gslb/health/combine.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb::health {

/// One check of a target, for status and metrics.
struct CheckView {
    std::string name;
    base::net::Endpoint target;
    State state = State::unknown;
    bool pending = false;
    bool restored = false;
    std::optional<std::chrono::milliseconds> age;  ///< Of the last result; none before the first.
    std::string last_error;                        ///< Of the last result; empty when it was good.
    std::chrono::microseconds latency{};           ///< Of the last result.
    std::uint64_t successes = 0;
    std::uint64_t failures = 0;
};

/// Runs the checks of all targets. Everything on the thread of `io`.
class Checker {
public:
    struct Settings {
        /// Verdicts are kept here over a restart; empty: nowhere.
        std::string verdict_file;
        /// A verdict older than this still answers, but the first result replaces it at once.
        std::chrono::milliseconds trusted_age{600'000};
        /// Changes within this time are reported together.
        std::chrono::milliseconds coalesce{20};
        /// The file is written this often although nothing changed, so that ages stay right.
        std::chrono::milliseconds save_every{5'000};
        std::uint64_t seed = 0;  ///< Of the jitter; 0: from the system.
    };
    /// `on_change`: state, pending or restored of some target changed. Called from the event loop,
    /// never from within a call to this class.
    Checker(
        boost::asio::io_context& io,
        Settings settings,
        std::function<void()> on_change,
        ProbeFactory make_probe = health::make_probe
    );
    ~Checker();
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    /// Watches exactly these targets from now on. Checks that were there already keep running with
    /// their state; a check whose question was there with another interval or other thresholds
    /// starts from its state; checks that nobody names any more stop. The first call takes what
    /// the verdict file knows.
    void apply(std::vector<Watch> watches);

    /// Calls `done` once: when every check has a result of its own, or after `limit`. The argument
    /// says which: true = complete.
    void when_first_round_done(std::chrono::milliseconds limit, std::function<void(bool)> done);

    /// An id that is not watched is unknown.
    Health health(std::string_view id) const;
    std::vector<CheckView> checks(std::string_view id) const;
    std::size_t running() const;  ///< Distinct checks.

    /// Stops all checks and writes the verdicts. Nothing is called back afterwards.
    void stop();

private:
    class Engine;
    std::shared_ptr<Engine> engine_;
};

}  // namespace twinsite::gslb::health
