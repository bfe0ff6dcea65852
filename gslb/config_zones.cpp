// SPDX-License-Identifier: Apache-2.0
#include "gslb/config_zones.hpp"

#include <algorithm>

#include "base/net/endpoint_config.hpp"
#include "gslb/config_parts.hpp"

namespace twinsite::gslb {

const std::string_view kTsigAlgorithms[kTsigAlgorithmCount] = {
    "hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1"
};

}  // namespace twinsite::gslb

namespace twinsite::gslb::config_parts {

namespace {

using base::config::Cursor;

TsigKeyConfig parse_tsig_key(Cursor& item, const Config& config, ConfigPlaces* places) {
    TsigKeyConfig key;
    auto name = item.child("name");
    key.name = parse_dns_name(name);
    const auto same = [&](const TsigKeyConfig& other) { return other.name == key.name; };
    if (name.exists() && std::any_of(config.tsig_keys.begin(), config.tsig_keys.end(), same))
        name.error("key '" + key.name.to_string() + "' is given twice");
    key.algorithm = kTsigAlgorithms[item.one_of(
        "algorithm", {kTsigAlgorithms, kTsigAlgorithms + kTsigAlgorithmCount}, 0
    )];
    auto file = item.child("secret_file");
    key.secret_file = resolved(file, file.value<std::string>());
    require_readable(file, key.secret_file);
    item.finish();
    if (places) places->tsig_secrets.push_back(file);
    return key;
}

std::optional<std::size_t> parse_tsig(Cursor& item, const Config& config) {
    auto at = item.find("tsig");
    if (!at) return std::nullopt;
    const auto name = parse_dns_name(*at);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < config.tsig_keys.size(); ++i) {
        if (config.tsig_keys[i].name == name) return i;
        known.push_back(config.tsig_keys[i].name.to_string());
    }
    at->unknown("key of 'tsig_keys'", name.to_string(), known);
    return std::nullopt;
}

std::vector<ZonePeerConfig> parse_peers(Cursor list, const Config& config) {
    std::vector<ZonePeerConfig> out;
    for (auto& item : list.items()) {
        ZonePeerConfig peer;
        auto address = item.child("address");
        if (const auto endpoint = parse_endpoint_at(address)) peer.address = *endpoint;
        const auto same = [&](const auto& other) { return other.address == peer.address; };
        if (address.exists() && std::any_of(out.begin(), out.end(), same))
            address.error("address " + to_string(peer.address) + " is given twice");
        peer.tsig = parse_tsig(item, config);
        item.finish();
        out.push_back(peer);
    }
    return out;
}

std::vector<ZoneAccessConfig> parse_allow(Cursor list, const Config& config) {
    std::vector<ZoneAccessConfig> out;
    for (auto& item : list.items()) {
        ZoneAccessConfig rule;
        if (auto net = item.find("net")) {
            const auto text = net->value<std::string>();
            rule.net = base::text::parse_prefix(text);
            if (!rule.net)
                net->error(
                    "must be a network such as 10.1.0.0/16 without bits beyond its length, not '" +
                    base::text::printable(text) + "'"
                );
        }
        rule.tsig = parse_tsig(item, config);
        if (item.is_map() && !item.find("net") && !item.find("tsig"))
            item.error("must name a network ('net'), a key ('tsig') or both");
        item.finish();
        out.push_back(rule);
    }
    return out;
}

ZoneTransferConfig parse_transfer(Cursor at, const Config& config) {
    constexpr std::uint32_t kMostJournal = 33'554'432;
    ZoneTransferConfig out;
    if (auto allow = at.find("allow")) out.allow = parse_allow(*allow, config);
    if (auto notify = at.find("notify")) out.notify = parse_peers(*notify, config);
    out.journal_bytes = at.in_range("journal_bytes", 0U, kMostJournal, out.journal_bytes);
    at.finish();
    return out;
}

/// Where the records come from: a file, or other name servers.
void parse_source(Cursor& item, const Config& config, ZoneConfig& zone, ConfigPlaces* places) {
    if (auto primaries = item.find("primaries")) {
        zone.primaries = parse_peers(*primaries, config);
        if (primaries->is_sequence() && zone.primaries.empty())
            primaries->error("must list at least one name server");
        if (auto file = item.find("file"))
            file->error("has no meaning for a zone with primaries: it is kept in state.directory");
        if (places) places->zone_files.push_back(*primaries);
        return;
    }
    auto file = item.child("file");
    zone.file = resolved(file, file.value<std::string>());
    require_readable(file, zone.file);
    if (places) places->zone_files.push_back(file);
}

}  // namespace

void parse_tsig_keys(Cursor list, Config& out, ConfigPlaces* places) {
    for (auto& item : list.items()) out.tsig_keys.push_back(parse_tsig_key(item, out, places));
}

void parse_zones(Cursor list, Config& out, ConfigPlaces* places) {
    const auto items = list.items();
    if (list.is_sequence() && items.empty()) list.error("must list at least one zone");
    for (auto item : items) {
        ZoneConfig zone;
        auto name = item.child("name");
        zone.origin = parse_dns_name(name);
        if (zone.origin.is_wildcard()) name.error("a zone's name cannot begin with '*'");
        const auto same = [&](const ZoneConfig& other) { return other.origin == zone.origin; };
        if (name.exists() && std::any_of(out.zones.begin(), out.zones.end(), same))
            name.error("zone '" + zone.origin.to_string() + "' is given twice");
        parse_source(item, out, zone, places);
        if (auto transfer = item.find("transfer")) zone.transfer = parse_transfer(*transfer, out);
        if (auto dnssec = item.find("dnssec")) {
            zone.dnssec = parse_dnssec(*dnssec);
            if (zone.is_secondary())
                dnssec->error("has no meaning for a zone with primaries: they sign it");
        }
        item.finish();
        out.zones.push_back(std::move(zone));
    }
}

}  // namespace twinsite::gslb::config_parts
