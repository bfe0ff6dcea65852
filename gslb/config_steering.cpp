// SPDX-License-Identifier: Apache-2.0
// The part of gslb.yaml that says what is steered: services and steered names.
#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "gslb/config_parts.hpp"
#include "gslb/steering/records_of.hpp"
#include "gslb/zone/master_text.hpp"
#include "gslb/zone/rdata_text.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

template <class Item>
Names names_of(const std::vector<Item>& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item.name);
    return Names(std::move(out));
}

std::vector<base::text::IpAddress> parse_addresses(Cursor at) {
    constexpr std::size_t kMost = 64;  // more would not fit into an answer of 1232 bytes
    std::vector<base::text::IpAddress> out;
    const auto items = at.items();
    if (at.is_sequence() && (items.empty() || items.size() > kMost))
        at.error("must list between 1 and 64 addresses");
    for (auto item : items) {
        const auto address = item.value<base::text::IpAddress>();
        if (std::find(out.begin(), out.end(), address) != out.end())
            item.error("address " + to_string(address) + " is listed twice");
        out.push_back(address);
    }
    return out;
}

/// Rdata as in a master file; names that do not end in a dot are complete all the same.
std::vector<std::uint8_t> parse_rdata(const Cursor& at, std::uint16_t type, std::string text) {
    std::istringstream in(" " + std::move(text));
    zone::MasterReader reader(in);
    zone::MasterEntry entry;
    std::string problem;
    if (!reader.next(entry) || entry.words.empty()) problem = "no record data";
    if (problem.empty()) problem = entry.problem;
    std::vector<std::uint8_t> out;
    if (problem.empty())
        out = zone::RdataParser(wire::dns::Name()).parse(type, entry.words, problem);
    zone::MasterEntry more;
    if (problem.empty() && reader.next(more)) problem = "more than one line";
    if (!problem.empty()) at.error(problem);
    return out;
}

/// A target's records beside its addresses.
std::vector<steering::TypedRecord> parse_records(std::optional<Cursor> at) {
    using namespace wire::dns::type;
    std::vector<steering::TypedRecord> out;
    if (!at) return out;
    for (auto& item : at->items()) {
        const std::vector<std::string> words{"SRV", "NAPTR", "TXT", "SVCB", "HTTPS"};
        const std::uint16_t types[] = {srv, naptr, txt, svcb, https};
        auto type_at = item.child("type");
        const auto word = type_at.value<std::string>();
        const auto known = std::find(words.begin(), words.end(), word);
        if (known == words.end()) {
            if (type_at.exists()) type_at.unknown("type of a target's record", word, words);
            continue;
        }
        steering::TypedRecord record;
        record.type = types[known - words.begin()];
        const auto data = item.child("data");
        auto reader = data;
        record.rdata = parse_rdata(data, record.type, reader.value<std::string>());
        if (auto hints = item.find("hints")) {
            record.hints = hints->value<bool>();
            if (record.hints && record.type != svcb && record.type != https)
                hints->error("only records of type SVCB and HTTPS have hints");
        }
        item.finish();
        out.push_back(std::move(record));
    }
    return out;
}

steering::TypedRecord parse_cname(Cursor at) {
    const auto name = parse_dns_name(at);
    const auto wire = name.wire();
    return {wire::dns::type::cname, {wire.begin(), wire.end()}};
}

steering::LoadLimits parse_load(Cursor at) {
    steering::LoadLimits out;
    out.low_percent = at.in_range("low", 0U, 1000U, out.low_percent);
    out.high_percent = at.in_range("high", 1U, 1000U, out.high_percent);
    if (out.low_percent >= out.high_percent) at.error("low must be below high");
    out.step_permille = at.in_range("step", 1U, 100U, out.step_permille / 10) * 10;
    out.period = parse_whole_seconds(at, "period", out.period);
    if (out.period.count() < 1) at.error("period must be at least 1s");
    at.finish();
    return out;
}

/// Either all targets of a service are names, or none: a resolver that saw a CNAME uses it for
/// every type.
void check_mixture(const Cursor& at, const steering::Service& service) {
    const auto is_cname = [](const auto& target) { return steering::is_cname(target); };
    const auto& targets = service.targets;
    if (std::any_of(targets.begin(), targets.end(), is_cname) &&
        !std::all_of(targets.begin(), targets.end(), is_cname))
        at.error("either all targets of a service have 'cname', or none");
}

std::vector<std::size_t> parse_check_names(std::optional<Cursor> at, const Names& known) {
    std::vector<std::size_t> out;
    if (!at) return out;
    for (auto& item : at->items()) {
        const auto index = parse_reference(item, "check", known);
        if (!index) continue;
        if (std::find(out.begin(), out.end(), *index) != out.end())
            item.error("check '" + known.list()[*index] + "' is listed twice");
        else
            out.push_back(*index);
    }
    return out;
}

steering::Target parse_target(Cursor& item, std::set<std::string>& taken, const Names& sites) {
    steering::Target target;
    target.name = parse_name_of(item, taken);
    if (const auto site = parse_reference(item.child("site"), "site", sites))
        target.site = static_cast<steering::SiteIndex>(*site);
    if (auto name = item.find("cname")) target.records.push_back(parse_cname(*name));
    const bool is_cname = !target.records.empty();
    auto records = parse_records(item.find("records"));
    auto addresses = item.find("addresses");
    if (is_cname && (addresses || !records.empty()))
        item.error("'cname' excludes 'addresses' and 'records': it answers every type");
    if (addresses) target.addresses = parse_addresses(*addresses);
    if (!addresses && !is_cname && records.empty()) item.child("addresses");  // a finding
    target.records.insert(target.records.end(), records.begin(), records.end());
    if (auto asked = item.find("check_addresses")) target.check_addresses = parse_addresses(*asked);
    target.weight = item.in_range("weight", 0U, 65'535U, target.weight);
    return target;
}

void parse_ttls(std::optional<Cursor> at, steering::Policy& policy) {
    if (!at) return;
    policy.ttl_min = parse_whole_seconds(*at, "min", policy.ttl_min);
    policy.ttl_max = parse_whole_seconds(*at, "max", policy.ttl_max);
    if (policy.ttl_min > policy.ttl_max)
        at->error(
            "min (" + base::text::format_duration(policy.ttl_min) + ") must not be above max (" +
            base::text::format_duration(policy.ttl_max) + ")"
        );
    at->finish();
}

void check_owner(
    const Cursor& at,
    const wire::dns::Name& owner,
    const Config& config,
    std::unordered_set<wire::dns::Name>& taken
) {
    if (!taken.insert(owner).second) at.error("name '" + owner.to_string() + "' is given twice");
    const auto holds = [&](const ZoneConfig& zone) { return owner.is_at_or_below(zone.origin); };
    if (std::any_of(config.zones.begin(), config.zones.end(), holds)) return;
    std::vector<std::string> origins;
    for (const auto& zone : config.zones) origins.push_back(zone.origin.to_string());
    at.error(
        "name '" + owner.to_string() + "' lies in none of the zones " +
        base::text::join(origins, ", ")
    );
}

}  // namespace

void parse_services(Cursor at, Config& out) {
    const auto checks = names_of(out.checks);
    const Names sites(out.steering.sites);
    std::set<std::string> taken_services;
    for (auto item : at.items()) {
        steering::Service service;
        service.name = parse_name_of(item, taken_services);
        auto& checks_of_targets = out.target_checks.emplace_back();
        auto targets = item.child("targets");
        std::set<std::string> taken;
        for (auto target : targets.items()) {
            service.targets.push_back(parse_target(target, taken, sites));
            checks_of_targets.push_back(parse_check_names(target.find("checks"), checks));
            target.finish();
        }
        if (targets.is_sequence() && service.targets.empty())
            targets.error("must list at least one target");
        out.quorums.push_back(parse_quorum_in(item));
        check_mixture(targets, service);
        if (auto load = item.find("load")) service.load = parse_load(*load);
        item.finish();
        out.steering.services.push_back(std::move(service));
    }
}

namespace {

/// What the last resort answers.
void parse_last_resort(Cursor& item, steering::Policy& policy) {
    auto at = item.find("last_resort");
    const bool wanted = policy.all_down == steering::AllDown::last_resort;
    if (!at) {
        if (wanted) item.child("last_resort");  // a finding
        return;
    }
    if (!wanted) at->error("needs all_down: last_resort");
    policy.last_resort.name = "last_resort";
    if (auto name = at->find("cname")) policy.last_resort.records = {parse_cname(*name)};
    auto addresses = at->find("addresses");
    if (addresses && !policy.last_resort.records.empty())
        addresses->error("'cname' and 'addresses' exclude each other");
    else if (addresses)
        policy.last_resort.addresses = parse_addresses(*addresses);
    else if (policy.last_resort.records.empty())
        at->error("must have 'addresses' or 'cname'");
    at->finish();
}

steering::Policy parse_policy(Cursor& item, const Names& services, const Names& sites) {
    steering::Policy policy;
    if (const auto service = parse_reference(item.child("service"), "service", services))
        policy.service = *service;
    parse_ttls(item.find("ttl"), policy);
    using enum steering::AllDown;
    const steering::AllDown words[] = {open, closed, last_resort, last_known};
    policy.all_down =
        words[item.one_of("all_down", {"open", "closed", "last_resort", "last_known"}, 0)];
    parse_last_resort(item, policy);
    policy.use_client_subnet = item.optional("client_subnet", true);
    policy.filters = parse_filters(item.find("filters"), sites, services);
    return policy;
}

/// Gives names with `alias` the policy of the name they follow.
void follow_aliases(const std::vector<std::optional<Cursor>>& aliases, Config& out) {
    for (std::size_t i = 0; i < aliases.size(); ++i) {
        if (!aliases[i]) continue;
        const auto wanted = parse_dns_name(*aliases[i]);
        const auto& names = out.steered_names;
        const auto found = std::find(names.begin(), names.end(), wanted);
        const auto place = static_cast<std::size_t>(found - names.begin());
        if (found == names.end()) {
            aliases[i]->error("'" + wanted.to_string() + "' is not a steered name");
            continue;
        }
        if (aliases[place]) {
            aliases[i]->error("'" + wanted.to_string() + "' is an alias itself");
            continue;
        }
        auto& policy = out.steering.policies[i];
        const auto owner = policy.owner;
        policy = out.steering.policies[place];
        policy.owner = owner;
        policy.alias_of = wanted.to_string();
        std::erase_if(
            policy.types = steering::steered_types(policy, out.steering),
            [](std::uint16_t type) {
                return !steering::is_address(type) && type != wire::dns::type::https &&
                       type != wire::dns::type::svcb;
            }
        );
        if (policy.types.empty())
            aliases[i]->error("'" + wanted.to_string() + "' has no addresses to take over");
    }
}

}  // namespace

void parse_steered(Cursor at, Config& out, ConfigPlaces* places) {
    const auto services = names_of(out.steering.services);
    const Names sites(out.steering.sites);
    std::unordered_set<wire::dns::Name> taken;
    std::vector<std::optional<Cursor>> aliases;
    for (auto item : at.items()) {
        auto name = item.child("name");
        const auto owner = parse_dns_name(name);
        if (name.exists()) check_owner(name, owner, out, taken);
        steering::Policy policy;
        aliases.push_back(item.find("alias"));
        if (!aliases.back()) policy = parse_policy(item, services, sites);
        policy.owner = owner.to_string();
        item.finish();
        out.steered_names.push_back(owner);
        out.steering.policies.push_back(std::move(policy));
        if (places) places->steered.push_back(name);
    }
    if (!out.steering.services.empty()) follow_aliases(aliases, out);
}

}  // namespace twinsite::gslb::config_parts
