// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "switchover/api/backend.hpp"
#include "switchover/api/token_buckets.hpp"

namespace twinsite::switchover::api {

/// Writes the audit lines of requests. What machines and strangers are refused is written at most
/// every ten seconds for the same cause, with the number held back: nobody fills the disk by
/// knocking.
class AuditTrail {
public:
    explicit AuditTrail(Backend& backend) : backend_(backend) {}

    void write(
        const Actor& actor,
        const std::string& action,
        const std::string& object,
        const std::string& result,
        const std::string& detail
    );
    void write_refusal_sometimes(
        const Actor& actor,
        const std::string& action,
        const std::string& object,
        const std::string& detail,
        TokenBuckets::Time now
    );

private:
    Backend& backend_;
    TokenBuckets refusals_{3, std::chrono::seconds(10), 2'000};
    std::map<std::string, std::uint64_t> held_back_;
};

}  // namespace twinsite::switchover::api
