// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "gslb/answer/counters.hpp"

namespace twinsite::gslb::server {

/// What one thread has done. Written by that thread only, readable by any.
struct Counters {
    answer::Counters answers;
    answer::Counter udp_not_sent;     ///< replies that the kernel would not take
    answer::Counter tcp_connections;  ///< accepted
    answer::Counter tcp_idle_closed;  ///< closed because nothing came within the idle limit
    answer::Counter tcp_crowded_out;  ///< closed, longest idle first, to make room for a new one
    answer::Counter tcp_bad_length;   ///< closed: a length that no DNS message can have
};

/// Calls `visitor(name, counter)` for each: first those of answer::visit().
template <class Visitor>
void visit(const Counters& counters, Visitor&& visitor) {
    visit(counters.answers, visitor);
    visitor("udp_not_sent", counters.udp_not_sent);
    visitor("tcp_connections", counters.tcp_connections);
    visitor("tcp_idle_closed", counters.tcp_idle_closed);
    visitor("tcp_crowded_out", counters.tcp_crowded_out);
    visitor("tcp_bad_length", counters.tcp_bad_length);
}

/// Sums over threads: name and value, in the order of visit().
using Totals = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// Adds the values of one thread. `totals` is empty at first.
void add_to(Totals& totals, const Counters& counters);

}  // namespace twinsite::gslb::server
