// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/control/api.hpp"
#include "gslb/intent.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb {

/// Reads the configuration anew, or signs the zones anew, on a thread of its own, one at a time, so
/// that health checks and the API go on meanwhile. Everything else happens on the thread of `io`,
/// where it is called.
class Reloader {
public:
    using Done = std::function<void(const control::ReloadOutcome&)>;
    /// What a reading begins with, asked on the loop.
    struct Before {
        std::shared_ptr<const Intent> intent;       ///< in force
        std::vector<answer::ServiceStates> likely;  ///< answers for these are signed meanwhile
    };
    struct Seams {
        std::function<Before()> before;
        /// Takes what was read, on the loop, and says what came of it.
        std::function<control::ReloadOutcome(const LoadedIntent&)> adopt;
        /// Takes what was signed anew, on the loop.
        std::function<void(const LoadedIntent&)> adopt_signed;
    };
    Reloader(boost::asio::io_context& io, std::string config_file, Seams seams);
    ~Reloader();  ///< Waits for the reading thread.
    Reloader(const Reloader&) = delete;
    Reloader& operator=(const Reloader&) = delete;

    /// Calls `done` with the outcome of a reading that began after this call.
    void request(Done done);
    /// Has the zones of what is then in force signed anew, unless a reading comes first anyway.
    void request_signing();

private:
    void begin();
    void finish(const LoadedIntent& loaded, bool only_signed);
    static LoadedIntent read(const std::string& file, const Before& before, bool only_sign);

    // fixed after construction
    boost::asio::io_context& io_;
    const std::string config_file_;
    const Seams seams_;
    // owned by the loop
    std::thread reading_;
    bool busy_ = false;
    std::vector<Done> served_;   ///< by the reading that runs
    std::vector<Done> waiting_;  ///< for the next one
    bool signing_wanted_ = false;
};

}  // namespace twinsite::gslb
