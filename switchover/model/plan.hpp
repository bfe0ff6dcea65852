// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/endpoint.hpp"

namespace twinsite::base::config {
class Cursor;
}

/// What the configuration says there is: sites, machines, members, services. Values without
/// behaviour, shared by all rooms of the server. A *place* is a business site or any other location
/// where somebody of ours stands (the arbiter).
namespace twinsite::switchover::model {

/// A text in both languages of the console.
struct Title {
    std::string en;
    std::string zh;  ///< never empty: the English text when none was given
};

/// A business site: users can be sent there.
struct Site {
    std::string name;
    Title title;
    /// Requests per second that it can carry alone; nullopt: not known, not judged.
    std::optional<double> capacity_per_second;
};

/// A machine with an agent.
struct Agent {
    std::string site;  ///< its place
    std::string name;
    std::string kind;  ///< interface, processing, database, other

    std::string id() const { return site + "/" + name; }
};

/// A site monitor: it probes from outside and relays the reports of its site's agents.
struct Monitor {
    std::string site;  ///< its place
    std::string name;

    std::string id() const { return site + "/" + name; }
};

/// A gslb or slb that this server steers.
struct Controlled {
    std::string name;
    std::string site;
    base::net::Endpoint control;
};

struct Service {
    std::string name;
    Title title;
};

/// Immutable once parsed. Names of members (gslbs, slbs, monitors) are unique among each other.
struct Plan {
    std::string node;  ///< this server
    std::string site;  ///< the place where this server stands
    std::vector<Site> sites;
    std::vector<Agent> agents;
    std::vector<Monitor> monitors;
    std::vector<Controlled> gslbs;
    std::vector<Controlled> slbs;
    std::vector<Service> services;

    /// Index into `sites`; nullopt for the arbiter's place and for unknown names.
    std::optional<std::size_t> find_site(std::string_view name) const;
    const Agent* find_agent(std::string_view id) const;
    const Monitor* find_monitor(std::string_view id) const;
    const Service* find_service(std::string_view name) const;
};

/// Reads `node`, `site`, `sites`, `agents`, `monitors`, `gslbs`, `slbs` and `services` of the
/// server's configuration. What is wrong becomes findings. Other keys, and `finish`, are the
/// caller's.
Plan parse_plan(base::config::Cursor& root);

/// Letters a-z, digits and '-', 1 to 63 of them: what may name a site, a node, a service.
bool is_word(std::string_view text);

}  // namespace twinsite::switchover::model
