// SPDX-License-Identifier: Apache-2.0
#include "gslb/intent.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/steering/prefix_table.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/loader.hpp"

namespace twinsite::gslb {
namespace {

/// The prefixes of the configuration and of the file it names.
std::vector<steering::PrefixEntry> load_networks(
    const Config& config, const ConfigPlaces& places, std::vector<std::string>& findings
) {
    auto out = config.prefixes;
    if (!places.networks_file) return out;
    const auto text = base::file::read_state_file(config.networks_file);
    if (!text || !*text) {
        const auto why = text ? std::string() : ": " + text.error().message();
        places.networks_file->error("file '" + config.networks_file + "' cannot be read" + why);
        return out;
    }
    auto table = steering::parse_prefix_table(**text, config.steering.sites);
    for (const auto& finding : table.findings)
        findings.push_back(
            config.networks_file + ":" + std::to_string(finding.line) + ": " + finding.text
        );
    std::set<base::text::IpPrefix> in_place;
    for (const auto& entry : out) in_place.insert(entry.prefix);
    for (auto& entry : table.entries) {
        if (in_place.contains(entry.prefix))
            places.networks_file->error(
                "network " + to_string(entry.prefix) + " stands in the file and under 'prefixes'"
            );
        out.push_back(std::move(entry));
    }
    return out;
}

std::vector<zone::ZoneData> load_zones(const Config& config, LoadedIntent& out) {
    std::vector<zone::ZoneData> zones;
    for (const auto& wanted : config.zones) {
        // A file that cannot be read is a finding of the configuration already.
        if (::access(wanted.file.c_str(), R_OK) != 0) continue;
        auto loaded = zone::load_master_file(wanted.file, wanted.origin);
        for (const auto& finding : loaded.findings) {
            const bool hinders = finding.severity == zone::Finding::Severity::error;
            (hinders ? out.findings : out.warnings).push_back(to_string(finding));
        }
        if (loaded.zone) zones.push_back(*std::move(loaded.zone));
    }
    return zones;
}

health::Check make_check(const CheckConfig& from, const base::text::IpAddress& address) {
    health::Check out;
    out.question.kind = from.kind;
    out.question.target = {address, from.port};
    if (from.kind == health::Kind::http) {
        out.question.path = from.path;
        out.question.host = from.host;
        out.question.expect_status = from.expect_status;
    }
    out.interval = from.interval;
    out.timeout = from.timeout;
    out.thresholds = from.thresholds;
    return out;
}

/// Each target with each of its checks at each of its addresses.
std::vector<health::Watch> make_watches(const Config& config) {
    std::vector<health::Watch> out;
    const auto& services = config.steering.services;
    for (std::size_t s = 0; s < services.size(); ++s)
        for (std::size_t t = 0; t < services[s].targets.size(); ++t) {
            const auto& target = services[s].targets[t];
            auto& watch = out.emplace_back();
            watch.id = control::target_id(services[s].name, target.name);
            for (const auto check : config.target_checks[s][t])
                for (const auto& address : target.addresses)
                    watch.items.push_back(
                        {config.checks[check].name, make_check(config.checks[check], address)}
                    );
        }
    return out;
}

server::ListenSettings make_listen(const Config& config) {
    server::ListenSettings out;
    out.addresses = config.listen;
    out.workers = config.workers;
    out.udp_payload_bytes = config.udp_payload_bytes;
    out.tcp_idle = config.tcp.idle;
    out.tcp_max_connections = config.tcp.max_connections;
    return out;
}

LoadedIntent read_intent(const std::string& config_file) {
    LoadedIntent out;
    const auto document = base::config::Document::load(config_file);
    ConfigPlaces places;
    auto config = parse_config(document.root(), &places);
    const auto networks = load_networks(config, places, out.findings);
    const auto zones = load_zones(config, out);
    std::vector<std::string> all;
    for (const auto& finding : document.findings()) all.push_back(to_string(finding));
    all.insert(all.end(), out.findings.begin(), out.findings.end());
    out.findings = std::move(all);
    if (!out.findings.empty()) return out;

    auto built = zone::build_index(zones, config.steered_names);
    for (const auto& problem : built.problems) out.findings.push_back(config_file + ": " + problem);
    if (!out.findings.empty()) return out;

    auto intent = std::make_shared<Intent>();
    intent->setup.node = config.node;
    intent->setup.site = config.site;
    intent->setup.steering = std::make_shared<const steering::Steering>(config.steering);
    intent->setup.prefixes = std::make_shared<const steering::PrefixMap>(
        networks, steering::default_orders(config.steering)
    );
    intent->setup.index = built.index;
    intent->watches = make_watches(config);
    intent->listen = make_listen(config);
    intent->config = std::move(config);
    out.intent = std::move(intent);
    return out;
}

}  // namespace

LoadedIntent load_intent(const std::string& config_file) {
    try {
        return read_intent(config_file);
    } catch (const std::exception& failure) {
        // No known file gets here. A daemon that serves must not end because of one it only reads.
        LoadedIntent out;
        out.findings = {config_file + ": cannot be read: " + failure.what()};
        return out;
    }
}

void log_warnings(const LoadedIntent& loaded) {
    for (const auto& warning : loaded.warnings)
        base::log::event(base::log::Level::warning, "zone_warning", {{"finding", warning}});
}

}  // namespace twinsite::gslb
