// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/blade/answer_template.hpp"
#include "tools/blade/duplicate_cache.hpp"
#include "tools/io/output_buffer.hpp"
#include "wire/diameter/credit_control.hpp"

namespace twinsite::tools::blade {

struct ChargingConfig {
    wire::diameter::Identity self;
    /// 5002 to updates and terminations of sessions this blade does not know, as a real charging
    /// function does; otherwise such a session is simply opened.
    bool strict = false;
    /// What a request gets when nothing is wrong with it.
    std::uint32_t result_code = wire::diameter::result::kSuccess;
};

struct ChargingStats {
    std::uint64_t requests = 0;       ///< all CCRs
    std::uint64_t retransmitted = 0;  ///< of these, with the T flag
    std::uint64_t duplicates = 0;     ///< of these, seen before: answered, not charged again
    std::uint64_t initial = 0;        ///< charged, by type
    std::uint64_t updates = 0;
    std::uint64_t terminations = 0;
    std::uint64_t events = 0;
    std::uint64_t sessions = 0;         ///< opened since the start
    std::uint64_t unknown_session = 0;  ///< updates and terminations without a session
    std::uint64_t malformed = 0;        ///< requests with a defect
    std::uint64_t unsupported = 0;      ///< other commands or applications
};

/// The charging side of the simulated blade: requests in, answers out. Pure; knows no links.
class Charging {
public:
    explicit Charging(ChargingConfig config);

    /// Appends the answer to one application request (a whole framed message).
    void answer(std::span<const std::uint8_t> request, io::OutputBuffer& out);

    const ChargingStats& stats() const { return stats_; }
    std::size_t open_sessions() const { return sessions_.size(); }

private:
    struct Session {
        std::uint32_t last_number = 0;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::uint32_t charge(const wire::diameter::CreditControlRequest& request);
    std::uint32_t follow(const wire::diameter::CreditControlRequest& request, bool last);
    void open(const wire::diameter::CreditControlRequest& request);
    void write_answer(
        std::span<const std::uint8_t> request,
        const wire::diameter::CreditControlRequest& read,
        std::uint32_t result_code,
        io::OutputBuffer& out
    );

    const ChargingConfig config_;
    const AnswerTemplate usual_;
    const AnswerTemplate unknown_session_;
    ChargingStats stats_;
    std::unordered_map<std::string, Session, Hash, std::equal_to<>> sessions_;
    DuplicateCache seen_;
    std::vector<std::uint8_t> scratch_;
};

}  // namespace twinsite::tools::blade
