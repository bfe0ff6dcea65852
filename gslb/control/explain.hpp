// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/steering/decide.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"

/// Why a client gets the answer it gets. Nothing is worked out twice: the answer is that of
/// answer::answer() to a real query, the stages are those of steering::decide().
namespace twinsite::gslb::control {

struct ExplainQuestion {
    wire::dns::Name name;
    std::uint16_t type = wire::dns::type::a;
    base::text::IpAddress client;                ///< who sends the query: a resolver
    std::optional<base::text::IpPrefix> subnet;  ///< EDNS client subnet in the query
};

struct Explanation {
    ExplainQuestion asked;
    /// The steered name that decides, behind any CNAMEs; none for a plain name.
    std::optional<wire::dns::Name> steered;
    /// Of the client's class: its order of sites and the length of the widest block around the
    /// client in which all are of this class. Both empty for a plain name.
    std::vector<std::string> sites;
    std::optional<unsigned> prefix_length;
    /// Scope in the reply's client subnet option; none without the option.
    std::optional<unsigned> scope;
    std::uint32_t ttl_s = 0;  ///< shortest of the answer's records; of the SOA when there is none
    wire::dns::Rcode rcode = wire::dns::Rcode::no_error;
    std::vector<std::string> answers;  ///< record data as `dig +short` prints them
    std::uint64_t snapshot = 0;
    steering::Trace trace;
    bool drawn = false;              ///< another query may draw another answer, odds by weight
    std::vector<std::string> notes;  ///< overrides and old verdicts that the answer rests on
};

/// `states` are those that `snapshot` was built from.
Explanation explain(
    const ExplainQuestion& question,
    const answer::Snapshot& snapshot,
    const answer::ServiceStates& states
);

/// The explanation in lines for people.
std::vector<std::string> describe(const Explanation& explanation);

}  // namespace twinsite::gslb::control
