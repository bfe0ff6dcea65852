// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/load/histogram.hpp"

namespace twinsite::tools::load {

/// How many sessions there are to be, over all connections, and how long each is.
struct Workload {
    std::uint32_t updates = 3;                       ///< CCRs between initial and termination
    std::optional<std::uint32_t> sessions_to_start;  ///< none: until told to stop
    bool stopped = false;                            ///< nothing new, not even for open sessions
    std::uint32_t next_session = 1;

    bool may_start() const { return !stopped && (!sessions_to_start || *sessions_to_start > 0); }
    std::uint32_t start() {
        if (sessions_to_start) --*sessions_to_start;
        return next_session++;
    }
};

/// What all connections counted.
struct Counters {
    std::uint64_t sent = 0;         ///< CCRs, without those sent again
    std::uint64_t answered = 0;     ///< with the right answer, whatever its Result-Code
    std::uint64_t lost = 0;         ///< no answer in time, or their connection ended
    std::uint64_t late = 0;         ///< answers to lost ones
    std::uint64_t duplicate = 0;    ///< second answers
    std::uint64_t unexpected = 0;   ///< answers nobody waits for, or with wrong content
    std::uint64_t retransmits = 0;  ///< sent again with T after a reconnect
    std::uint64_t unsent = 0;       ///< due, but 65,536 were waiting on the connection already
    std::uint64_t sessions = 0;     ///< started
    std::uint64_t sessions_completed = 0;
    std::uint64_t sessions_failed = 0;  ///< ended by a Result-Code other than 2xxx or a loss
    std::uint64_t sessions_moved = 0;   ///< answered by more than one Origin-Host
    std::uint64_t reconnects = 0;
    Histogram latency;   ///< from the due time (open loop) or from sending (closed loop)
    Histogram send_lag;  ///< open loop: from the due time to sending, the generator's own part

    void count_result(std::uint32_t code) {
        if (code == last_code_) {
            ++*last_count_;
            return;
        }
        last_code_ = code;
        last_count_ = &result_codes_[code];
        ++*last_count_;
    }
    const std::map<std::uint32_t, std::uint64_t>& result_codes() const { return result_codes_; }

    /// Counts an answer of `host` and returns the host's index. At most 65,535 hosts are told
    /// apart.
    std::uint16_t count_host(std::string_view host);
    struct Host {
        std::string name;
        std::uint64_t answers = 0;
    };
    const std::vector<Host>& hosts() const { return hosts_; }

private:
    std::map<std::uint32_t, std::uint64_t> result_codes_;
    std::uint32_t last_code_ = 0;
    std::uint64_t* last_count_ = nullptr;
    std::vector<Host> hosts_;
};

}  // namespace twinsite::tools::load
