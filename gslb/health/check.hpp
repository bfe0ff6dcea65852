// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/health/verdict.hpp"

namespace twinsite::probe {
class Probe;
}

namespace twinsite::gslb::health {

enum class Kind : std::uint8_t { tcp, http };

/// What is asked of whom. Two checks with the same question share their knowledge.
struct Question {
    Kind kind = Kind::tcp;
    base::net::Endpoint target;
    std::optional<base::text::IpAddress> source;
    // Kind::http only.
    std::string path;
    std::string host;
    std::vector<unsigned> expect_status;
    std::string expect_body;

    auto operator<=>(const Question&) const = default;
};
/// One line, the same for equal questions only: names a check in the verdict file and in logs.
std::string to_string(const Question& question);

/// A question, how often it is asked, and how results become a state. The value is the identity:
/// equal checks of several targets run once.
struct Check {
    Question question;
    std::chrono::milliseconds interval{10'000};
    std::chrono::milliseconds timeout{5'000};  ///< At most the interval.
    Thresholds thresholds;

    auto operator<=>(const Check&) const = default;
};

/// One target (an address of a service at a site) and the checks that must all be up for it.
struct Watch {
    struct Item {
        std::string name;  ///< Of the check in the configuration; for people.
        Check check;
    };
    std::string id;  ///< Unique; for example "ocs/ocs-east".
    std::vector<Item> items;
};

using ProbeFactory = std::function<std::unique_ptr<probe::Probe>(const Question&)>;
/// The real probes.
std::unique_ptr<probe::Probe> make_probe(const Question& question);

}  // namespace twinsite::gslb::health
