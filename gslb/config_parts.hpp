// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/cursor.hpp"
#include "gslb/config.hpp"

/// The pieces of parse_config, shared by its two source files.
namespace twinsite::gslb::config_parts {

/// Names that appear in paths of the API and in labels: 1..63 of letters, digits, '-', '_', '.'.
/// Anything else is a finding at the name.
/// A name that is in `taken` already is one too; the name is added there.
std::string parse_name_of(base::config::Cursor& item, std::set<std::string>& taken);

/// "ADDRESS:PORT" with a port from 1 up; anything else is a finding.
std::optional<base::net::Endpoint> parse_endpoint_at(base::config::Cursor at);

/// A DNS name; a finding and the root when it is none.
wire::dns::Name parse_dns_name(base::config::Cursor at);

/// `path` against the folder of the configuration.
std::string resolved(const base::config::Cursor& at, const std::string& path);

/// Names that others refer to, with their places in a list.
class Names {
public:
    explicit Names(std::vector<std::string> names);
    const std::vector<std::string>& list() const { return list_; }
    std::optional<std::size_t> find(const std::string& name) const;

private:
    std::vector<std::string> list_;
    std::map<std::string, std::size_t, std::less<>> places_;
};

/// Place of `at`'s text in `known`; a finding with the nearest names when it is not there.
std::optional<std::size_t> parse_reference(
    base::config::Cursor at, std::string_view what, const Names& known
);

/// A list of site names without repetition.
steering::SiteOrder parse_site_order(base::config::Cursor list, const Names& sites);

void parse_networks(base::config::Cursor at, Config& out, ConfigPlaces* places);
void parse_services(base::config::Cursor at, Config& out);
void parse_steered(base::config::Cursor at, Config& out, ConfigPlaces* places);

}  // namespace twinsite::gslb::config_parts
