// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gslb/control/api.hpp"
#include "gslb/intent.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb {

/// Reads the configuration anew on a thread of its own, one at a time, so that health checks and
/// the API go on meanwhile. Everything else happens on the thread of `io`, where it is called.
class Reloader {
public:
    using Done = std::function<void(const control::ReloadOutcome&)>;
    /// `adopt` takes what was read, on the loop, and says what came of it.
    Reloader(
        boost::asio::io_context& io,
        std::string config_file,
        std::function<control::ReloadOutcome(const LoadedIntent&)> adopt
    );
    ~Reloader();  ///< Waits for the reading thread.
    Reloader(const Reloader&) = delete;
    Reloader& operator=(const Reloader&) = delete;

    /// Calls `done` with the outcome of a reading that began after this call.
    void request(Done done);

private:
    void begin();
    void finish(const LoadedIntent& loaded);

    // fixed after construction
    boost::asio::io_context& io_;
    const std::string config_file_;
    const std::function<control::ReloadOutcome(const LoadedIntent&)> adopt_;
    // owned by the loop
    std::thread reading_;
    bool busy_ = false;
    std::vector<Done> served_;   ///< by the reading that runs
    std::vector<Done> waiting_;  ///< for the next one
};

}  // namespace twinsite::gslb
