// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace twinsite::gslb::answer {

/// Written by one thread, readable by any: a plain increment without a locked instruction.
class Counter {
public:
    void add() { value_.store(value() + 1, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// What one worker has answered. Each reply counts in exactly one of the rcode counters.
struct Counters {
    Counter udp;            ///< packets taken from UDP, dropped ones included
    Counter tcp;            ///< messages taken from TCP
    Counter dropped;        ///< not answered at all: shorter than a header, or a reply
    Counter edns;           ///< queries with OPT
    Counter client_subnet;  ///< queries with a client subnet option
    Counter steered;        ///< answers that came from a steered name
    Counter truncated;      ///< replies with TC
    Counter referral;       ///< replies that point to a delegated zone
    Counter no_data;        ///< NOERROR without an answer: the name exists, the type does not
    Counter no_error;
    Counter form_err;
    Counter serv_fail;
    Counter nx_domain;
    Counter not_imp;
    Counter refused;
    Counter bad_vers;
};

/// Calls `visitor(name, counter)` for each, in the order above.
template <class Visitor>
void visit(const Counters& counters, Visitor&& visitor) {
    visitor("udp", counters.udp);
    visitor("tcp", counters.tcp);
    visitor("dropped", counters.dropped);
    visitor("edns", counters.edns);
    visitor("client_subnet", counters.client_subnet);
    visitor("steered", counters.steered);
    visitor("truncated", counters.truncated);
    visitor("referral", counters.referral);
    visitor("no_data", counters.no_data);
    visitor("noerror", counters.no_error);
    visitor("formerr", counters.form_err);
    visitor("servfail", counters.serv_fail);
    visitor("nxdomain", counters.nx_domain);
    visitor("notimp", counters.not_imp);
    visitor("refused", counters.refused);
    visitor("badvers", counters.bad_vers);
}

}  // namespace twinsite::gslb::answer
