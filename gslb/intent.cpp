// SPDX-License-Identifier: Apache-2.0
#include "gslb/intent.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/group/intent_store.hpp"
#include "gslb/steering/geo_database.hpp"
#include "gslb/steering/prefix_table.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/loader.hpp"

namespace twinsite::gslb {
namespace {

/// The networks of a database; a finding when it cannot be used.
steering::PrefixLayer load_geo_layer(
    const std::string& file,
    const steering::GeoRules& rules,
    const std::optional<base::config::Cursor>& place
) {
    if (!place) return {};
    auto loaded = steering::load_geo(file, rules);
    if (!loaded.problem.empty()) place->error("file '" + file + "' " + loaded.problem);
    return std::move(loaded.layer);
}

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

/// Everything that says which clients prefer which sites.
std::shared_ptr<const steering::PrefixLayers> load_layers(
    const Config& config, const ConfigPlaces& places, std::vector<std::string>& findings
) {
    auto out = std::make_shared<steering::PrefixLayers>();
    out->networks = steering::layer_of(load_networks(config, places, findings));
    out->resolvers = steering::layer_of(config.resolvers);
    const auto& geo = config.geo;
    out->geo = load_geo_layer(geo.database, geo.rules, places.geo_database);
    // A database of owners knows no places: distances and other rules cannot hold there.
    steering::GeoRules owners = geo.rules;
    owners.sites.clear();
    std::erase_if(owners.rules, [](const auto& rule) { return rule.asn == 0; });
    out->owners = load_geo_layer(geo.owners, owners, places.geo_owners);
    return out;
}

using Zones = std::vector<std::shared_ptr<const zone::ZoneData>>;

/// What a zone with primaries has now. Without records: nothing that may be used.
std::shared_ptr<const zone::ZoneData> find_transferred(
    const Config& config, const ZoneConfig& wanted, transfer::Copies& copies
) {
    auto out = copies.usable(config.state_directory, wanted.origin);
    if (!out) {
        zone::ZoneData nothing;
        nothing.origin = wanted.origin;
        return std::make_shared<const zone::ZoneData>(std::move(nothing));
    }
    if (!is_transferable(wanted)) return out;
    return std::make_shared<const zone::ZoneData>(
        with_defaults(*out, default_rrsets(config), config)
    );
}

/// The zones in the order of the configuration; those with findings are missing.
Zones load_zones(const Config& config, transfer::Copies& copies, LoadedIntent& out) {
    Zones zones;
    for (const auto& wanted : config.zones) {
        if (wanted.is_secondary()) {
            zones.push_back(find_transferred(config, wanted, copies));
            continue;
        }
        // A file that cannot be read is a finding of the configuration already.
        if (::access(wanted.file.c_str(), R_OK) != 0) continue;
        auto loaded = zone::load_master_file(wanted.file, wanted.origin);
        for (const auto& finding : loaded.findings) {
            const bool hinders = finding.severity == zone::Finding::Severity::error;
            (hinders ? out.findings : out.warnings).push_back(to_string(finding));
        }
        if (!loaded.zone) continue;
        auto zone = *std::move(loaded.zone);
        if (is_transferable(wanted))
            zone = with_defaults(std::move(zone), default_rrsets(config), config);
        zones.push_back(std::make_shared<const zone::ZoneData>(std::move(zone)));
    }
    return zones;
}

health::Check make_check(const CheckConfig& from, const base::text::IpAddress& address) {
    health::Check out;
    out.question.ask = from.ask;
    out.question.target = {address, from.port};
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
            const auto& asked =
                target.check_addresses.empty() ? target.addresses : target.check_addresses;
            for (const auto check : config.target_checks[s][t])
                for (const auto& address : asked)
                    watch.items.push_back(
                        {config.checks[check].name, make_check(config.checks[check], address)}
                    );
        }
    if (config.health.own_link.empty()) return out;
    auto& own = out.emplace_back();
    own.id = health::kOwnLink;
    for (const auto& point : config.health.own_link) {
        const auto& check = config.checks[point.check];
        own.items.push_back({check.name, make_check(check, point.address)});
    }
    return out;
}

health::VoteBoard::Rules make_vote_rules(const Config& config) {
    health::VoteBoard::Rules out;
    out.node = config.node;
    out.witnesses.insert(config.health.witnesses.begin(), config.health.witnesses.end());
    const auto& services = config.steering.services;
    for (std::size_t s = 0; s < services.size(); ++s)
        for (const auto& target : services[s].targets)
            out.targets[control::target_id(services[s].name, target.name)] = {
                config.quorums[s].value_or(config.health.quorum),
                config.steering.sites[target.site] != config.site
            };
    return out;
}

server::ListenSettings make_listen(const Config& config) {
    server::ListenSettings out;
    out.addresses = config.listen;
    out.workers = config.workers;
    const auto& server = config.server;
    out.logged_queries = server.logged_queries;
    out.dnstap_socket = server.dnstap_socket;
    out.node = config.node;
    out.version = std::string("twinsite-gslb ") + TWINSITE_VERSION;
    auto& conduct = out.conduct;
    conduct.udp_payload_v4_bytes = server.ipv4_payload_bytes;
    conduct.udp_payload_v6_bytes = server.ipv6_payload_bytes;
    conduct.nsid.assign(server.nsid.begin(), server.nsid.end());
    conduct.chaos_version = server.chaos_version;
    conduct.chaos_id = server.chaos_id;
    conduct.cookies = server.cookies;
    conduct.extended_errors = server.extended_errors;
    const auto& limit = server.rate_limit;
    out.rate_limit = {
        limit.per_second,
        limit.slip,
        static_cast<std::uint8_t>(limit.ipv4_prefix),
        static_cast<std::uint8_t>(limit.ipv6_prefix),
        limit.table_entries
    };
    out.tcp = {config.tcp.idle, config.tcp.max_connections, config.tcp.max_per_address};
    return out;
}

/// Zones on their way to an index.
struct Signed {
    std::vector<std::shared_ptr<const zone::ZoneData>> sources;
    SignedParts parts;
};

std::uint32_t largest_steered_ttl(const steering::Steering& steering) {
    std::chrono::seconds out{0};
    for (const auto& policy : steering.policies) out = std::max(out, policy.ttl_max);
    return static_cast<std::uint32_t>(out.count());
}

Serials read_serials(const Config& config) {
    const auto text = base::file::read_state_file(config.state_directory + "/" + kSerialsFile);
    return text && *text ? decode_serials(**text) : Serials{};
}

/// Signs the zones that the configuration has signed.
void sign_zones(
    Signed& zones, const Config& config, const Intent* previous, std::vector<std::string>& findings
) {
    SigningInputs inputs;
    inputs.now = std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch()
    )
                     .count();
    inputs.steered = answerable_names(config.steering, config.steered_names);
    inputs.steered_ttl = largest_steered_ttl(config.steering);
    const auto serials = read_serials(config);
    for (const auto& source : zones.sources) {
        const auto wanted =
            std::find_if(config.zones.begin(), config.zones.end(), [&](const ZoneConfig& zone) {
                return zone.origin == source->origin;
            });
        if (wanted == config.zones.end() || !wanted->dnssec) continue;
        const auto known = std::find_if(serials.begin(), serials.end(), [&](const auto& serial) {
            return serial.first == source->origin.lowered().to_string();
        });
        auto part = sign_part(
            *source,
            *wanted->dnssec,
            inputs,
            previous ? find_part(previous->signed_parts, source->origin) : nullptr,
            known == serials.end() ? std::nullopt : std::optional(known->second)
        );
        if (const auto* wrong = std::get_if<std::string>(&part))
            findings.push_back(*wrong);
        else
            zones.parts.push_back(std::get<std::shared_ptr<const SignedPart>>(std::move(part)));
    }
}

/// The index of all zones, signed where they are.
std::shared_ptr<const zone::Index> make_index(
    const Signed& zones,
    const std::vector<zone::SteeredName>& steered,
    const std::string& where,
    std::vector<std::string>& findings
) {
    std::vector<const zone::ZoneData*> served;
    for (const auto& source : zones.sources) {
        const auto* part = find_part(zones.parts, source->origin);
        served.push_back(part ? part->zone.get() : source.get());
    }
    auto built = zone::build_index(served, steered);
    for (const auto& problem : built.problems) findings.push_back(where + ": " + problem);
    return built.index;
}

/// What others may have, and what comes from others.
Zones find_offered(const Signed& zones, const Config& config) {
    Zones out(config.zones.size());
    for (std::size_t i = 0; i < out.size() && i < zones.sources.size(); ++i) {
        const auto& wanted = config.zones[i];
        if (!wanted.is_secondary() && !is_transferable(wanted)) continue;
        const auto& source = zones.sources[i];
        const auto* part = find_part(zones.parts, source->origin);
        if (!source->rrsets.empty()) out[i] = part ? part->zone : source;
    }
    return out;
}

void put_signed(
    Signed zones,
    std::shared_ptr<const zone::Index> index,
    const std::vector<zone::SteeredName>& steered,
    Intent& to
) {
    to.transfers =
        transfer_settings(to.config, to.tsig_keys, find_offered(zones, to.config), steered);
    to.setup.index = std::move(index);
    to.setup.signers.clear();
    for (const auto& part : zones.parts) to.setup.signers.push_back(part->signer);
    to.signed_parts = std::move(zones.parts);
    const bool changes =
        std::any_of(to.config.zones.begin(), to.config.zones.end(), [](const ZoneConfig& zone) {
            return zone.is_secondary() || zone.dnssec;
        });
    to.sources.clear();
    if (changes) to.sources = std::move(zones.sources);
}

/// Those in force, or the first ones of a process.
std::shared_ptr<transfer::Copies> find_copies(const Intent* previous) {
    return previous ? previous->copies : std::make_shared<transfer::Copies>();
}

LoadedIntent read_intent(
    const std::string& config_file,
    const std::optional<SharedIntent>& shared,
    const Intent* previous
) {
    using base::config::Document;
    LoadedIntent out;
    const auto document = Document::load(config_file);
    std::optional<Document> published;
    if (shared) published = Document::load(shared->folder + "/" + std::string(group::kIntentFile));
    ConfigPlaces places;
    auto config = parse_config(
        document.root(), &places, published ? std::optional(published->root()) : std::nullopt
    );
    const auto layers = load_layers(config, places, out.findings);
    auto keys = read_tsig_keys(config, places);
    const auto copies = find_copies(previous);
    Signed made;
    made.sources = load_zones(config, *copies, out);
    std::vector<std::string> all;
    for (const auto& finding : document.findings()) all.push_back(to_string(finding));
    if (published)
        for (const auto& finding : published->findings()) all.push_back(to_string(finding));
    all.insert(all.end(), out.findings.begin(), out.findings.end());
    out.findings = std::move(all);
    if (!out.findings.empty()) return out;

    std::vector<std::string> bad_names;  // none: the parser has seen them
    const auto steered = answer::steered_names(config.steering, bad_names);
    sign_zones(made, config, previous, out.findings);
    if (!out.findings.empty()) return out;
    const auto index = make_index(made, steered, config_file, out.findings);
    if (!out.findings.empty()) return out;

    auto intent = std::make_shared<Intent>();
    intent->setup.node = config.node;
    intent->setup.site = config.site;
    if (shared) intent->setup.configuration = shared->content;
    intent->setup.steering = std::make_shared<const steering::Steering>(config.steering);
    intent->setup.prefixes = std::make_shared<const steering::PrefixMap>(
        *layers, steering::default_orders(config.steering)
    );
    intent->setup.layers = layers;
    intent->watches = make_watches(config);
    intent->votes = make_vote_rules(config);
    intent->listen = make_listen(config);
    intent->config = std::move(config);
    intent->tsig_keys = std::move(keys);
    intent->copies = copies;
    put_signed(std::move(made), index, steered, *intent);
    out.intent = std::move(intent);
    return out;
}

/// What was published and is in force on this disk; nullopt when nothing was.
std::optional<SharedIntent> find_shared(const std::string& config_file, LoadedIntent& out) {
    const auto document = base::config::Document::load(config_file);
    const auto config = parse_config(document.root());
    if (!config.group || config.state_directory.empty()) return std::nullopt;
    const group::IntentStore store(intent_folder(config));
    const auto refuse = [&](const std::string& why) {
        out.findings.push_back(
            intent_folder(config) + "/intent.json: " + why + "; mend it or take the folder away"
        );
        return std::nullopt;
    };
    const auto book = store.read_book();
    if (!book) return refuse(book.error().message());
    if (book->known().empty()) return std::nullopt;
    const auto good = store.find_good(*book);
    // To go on with what stands in the file would answer as nobody wants it any more.
    if (!good) return refuse("none of its versions is whole on the disk");
    return SharedIntent{good->folder, good->header.content};
}

/// No known file makes `read` throw. A daemon that serves must not end because of one it only
/// reads.
template <class Read>
LoadedIntent guarded(const std::string& config_file, Read read) {
    try {
        return read();
    } catch (const std::exception& failure) {
        LoadedIntent out;
        out.findings = {config_file + ": cannot be read: " + failure.what()};
        return out;
    }
}

}  // namespace

std::string intent_folder(const Config& config) {
    return config.state_directory + "/intent";
}

LoadedIntent load_intent(const std::string& config_file, const Intent* previous) {
    return guarded(config_file, [&] {
        LoadedIntent failed;
        const auto shared = find_shared(config_file, failed);
        return failed.findings.empty() ? read_intent(config_file, shared, previous) : failed;
    });
}

LoadedIntent load_intent(
    const std::string& config_file, const SharedIntent& shared, const Intent* previous
) {
    return guarded(config_file, [&] { return read_intent(config_file, shared, previous); });
}

LoadedIntent sign_again(const Intent& intent) {
    LoadedIntent out;
    Signed made;
    made.sources = intent.sources;
    for (std::size_t i = 0; i < made.sources.size(); ++i)
        if (intent.config.zones[i].is_secondary())
            made.sources[i] =
                find_transferred(intent.config, intent.config.zones[i], *intent.copies);
    sign_zones(made, intent.config, &intent, out.findings);
    if (!out.findings.empty()) return out;
    std::vector<std::string> bad_names;  // none: they are in use
    const auto steered = answer::steered_names(intent.config.steering, bad_names);
    const auto index = make_index(made, steered, "signing", out.findings);
    if (!out.findings.empty()) return out;
    auto next = std::make_shared<Intent>(intent);
    put_signed(std::move(made), index, steered, *next);
    out.intent = std::move(next);
    return out;
}

void sign_ahead(const Intent& intent, const std::vector<answer::ServiceStates>& likely) {
    const auto& setup = intent.setup;
    if (setup.signers.empty()) return;
    answer::SnapshotBuilder builder(setup.index, setup.prefixes, setup.steering, 1, setup.signers);
    const auto fits = [&](const answer::ServiceStates& states) {
        const auto& services = setup.steering->services;
        return std::equal(
            states.begin(),
            states.end(),
            services.begin(),
            services.end(),
            [](const auto& known, const auto& service) {
                return known.size() == service.targets.size();
            }
        );
    };
    for (const auto& states : likely)
        if (fits(states)) builder.build(states);
}

void log_warnings(const LoadedIntent& loaded) {
    for (const auto& warning : loaded.warnings)
        base::log::event(base::log::Level::warning, "zone_warning", {{"finding", warning}});
}

}  // namespace twinsite::gslb
