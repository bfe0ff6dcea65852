// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "base/text/ip.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::switchover::execute {

using Clock = std::chrono::steady_clock;

enum class MemberKind { gslb, slb };

/// A gslb or slb that this server steers and asks. Fixed after start.
struct Member {
    std::string name;  ///< "gslb-east"; must be the name in its certificate.
    std::string site;
    MemberKind kind = MemberKind::gslb;
    base::net::Endpoint control;
    std::optional<base::net::Endpoint> dns;  ///< gslb: where it answers DNS (UDP).
};

/// A site as DNS shows it: which answers mean it, and from where its clients ask.
struct Place {
    std::string site;
    std::vector<base::text::IpAddress> answers;   ///< Addresses of the service at this site.
    std::optional<base::text::IpPrefix> clients;  ///< Told to the gslb as client subnet.
};

/// What a gslb says about a site, from its answer to GET /api/v1/desired.
struct SiteView {
    std::string site;
    std::string service;
    std::string health;          ///< up | down | unknown
    std::string control;         ///< in | out | drain, or empty
    std::string override_state;  ///< up | down | drain, or empty
    bool answering = false;
};

/// What is known of a member now.
struct MemberView {
    Member member;
    bool reachable = false;                      ///< The last question was answered.
    std::optional<Clock::time_point> heard;      ///< Last answer.
    std::optional<Clock::time_point> asked;      ///< End of the last question, answered or not.
    bool in_sync = false;                        ///< It holds our list, by its own words.
    std::string detail;                          ///< Why it is not reachable or not in sync.
    std::optional<wire::contract::Fence> fence;  ///< The highest it has seen.
    std::vector<SiteView> sites;                 ///< gslb
    std::vector<std::pair<std::string, std::string>> objects;  ///< What it holds: object, state.
    bool ready = false;                                        ///< slb
    std::uint64_t blades_active = 0;                           ///< slb
    std::uint64_t blades_total = 0;                            ///< slb
    std::uint64_t clients = 0;                                 ///< slb
};

}  // namespace twinsite::switchover::execute
