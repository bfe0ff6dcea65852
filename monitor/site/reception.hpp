// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wire/contract/report.hpp"

namespace twinsite::monitor::site {

/// Reports of the site's agents, from their arrival until the next batch. Told the time.
class Reception {
public:
    using Time = std::chrono::milliseconds;

    enum class Taken : std::uint8_t {
        fresh,     ///< The newest of its agent.
        repeated,  ///< The agent sent it before, so it is not kept again.
        full,      ///< Too much waits already: not kept.
    };
    /// `bytes` is the size of its body.
    Taken take(wire::contract::Report report, std::size_t bytes, Time now);
    /// All that waits, with its age now. Of several live reports of an agent only the newest stays
    /// live: the others are for the history.
    std::vector<wire::contract::Report> release(Time now);

    bool empty() const { return waiting_.empty(); }
    std::size_t bytes() const { return bytes_; }
    /// Agents heard within `limit`.
    std::size_t agents(Time now, Time limit) const;

    static constexpr std::size_t kMaxBytes = 900'000;
    static constexpr std::size_t kMaxAgents = 10'000;

private:
    struct Waiting {
        wire::contract::Report report;
        Time arrived;
    };
    struct Known {
        std::string boot_id;
        std::uint64_t seq = 0;  ///< Highest live one of this run of the agent.
        Time heard{};
    };
    std::vector<Waiting> waiting_;
    std::size_t bytes_ = 0;
    std::map<std::string, Known> known_;  ///< By name of the agent.
};

}  // namespace twinsite::monitor::site
