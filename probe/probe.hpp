// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include <boost/asio/awaitable.hpp>

/// Checks of a service from outside, as a client would use it. One kind a file.
namespace twinsite::probe {

/// What one run of a probe found.
struct Outcome {
    bool ok = false;
    std::string error;  ///< Why not, in words for people; empty when ok.
    std::chrono::microseconds latency{};
    /// We could not ask, for want of descriptors or memory: says nothing about the service.
    bool local_fault = false;
    std::string note{};  ///< Who or what answered, for people; may be empty.
};

/// Asks one service whether it is alive. One run at a time. Must outlive a running `run`.
class Probe {
public:
    virtual ~Probe() = default;
    /// Finishes within `limit`: a service that has not answered by then is not ok ("timed out").
    /// Cancelling the coroutine closes the connection and ends it.
    virtual boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) = 0;
};

}  // namespace twinsite::probe
