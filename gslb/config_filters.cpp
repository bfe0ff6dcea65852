// SPDX-License-Identifier: Apache-2.0
// The chains of filters in gslb.yaml.
#include "gslb/config_parts.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;
using std::chrono::milliseconds;
using std::chrono::seconds;
using steering::Filter;
using steering::FilterKind;

seconds parse_whole_seconds(Cursor& at, std::string_view key, seconds fallback) {
    constexpr milliseconds kLongest{7 * 86'400'000};
    const auto ttl = at.in_range(key, milliseconds(0), kLongest, milliseconds(fallback));
    if (ttl % seconds(1) != milliseconds(0))
        at.find(key)->error("must be whole seconds, not " + base::text::format_duration(ttl));
    return std::chrono::duration_cast<seconds>(ttl);
}

namespace {

std::vector<steering::Dependency> parse_dependencies(Cursor at, const Names& services) {
    std::vector<steering::Dependency> out;
    if (auto facts = at.find("facts"))
        for (auto& item : facts->items()) {
            steering::Dependency wanted;
            auto name = item.child("name");
            wanted.fact = name.value<std::string>();
            if (name.exists() && wanted.fact.empty()) name.error("must not be empty");
            if (auto least = item.find("min")) wanted.least = least->value<double>();
            if (auto most = item.find("max")) wanted.most = most->value<double>();
            if (!wanted.least && !wanted.most) item.error("must have 'min', 'max' or both");
            item.finish();
            out.push_back(std::move(wanted));
        }
    if (auto list = at.find("services"))
        for (const auto& item : list->items())
            if (const auto service = parse_reference(item, "service", services)) {
                out.emplace_back().service = *service;
            }
    if (out.empty()) at.error("must have 'facts', 'services' or both");
    return out;
}

void parse_failover(Cursor& at, const Names& sites, Filter& out) {
    if (auto order = at.find("order")) out.order = parse_site_order(*order, sites);
    using enum steering::FailBack;
    const steering::FailBack words[] = {automatic, delayed, manual};
    out.fail_back = words[at.one_of("fail_back", {"automatic", "delayed", "manual"}, 0)];
    if (auto delay = at.find("delay")) {
        out.delay = parse_whole_seconds(at, "delay", out.delay);
        if (out.fail_back != delayed) delay->error("needs fail_back: delayed");
    } else if (out.fail_back == delayed) {
        at.child("delay");  // a finding
    }
}

void parse_sticky(Cursor& at, Filter& out) {
    out.group = at.optional("group", std::string());
    out.bits_v4 = static_cast<std::uint8_t>(at.in_range("ipv4_bits", 1U, 32U, 24U));
    out.bits_v6 = static_cast<std::uint8_t>(at.in_range("ipv6_bits", 1U, 128U, 56U));
}

void parse_parameters(Cursor& at, const Names& sites, const Names& services, Filter& out) {
    switch (out.kind) {
        case FilterKind::failover:
            return parse_failover(at, sites, out);
        case FilterKind::nearest:
            if (auto order = at.find("default")) out.order = parse_site_order(*order, sites);
            return;
        case FilterKind::weighted:
            out.multi = at.one_of("pick", {"one", "multi"}, 0) == 1;
            return;
        case FilterKind::sticky:
            return parse_sticky(at, out);
        case FilterKind::depends:
            out.dependencies = parse_dependencies(at, services);
            return;
        case FilterKind::override_:
        case FilterKind::up:
        case FilterKind::load:
        case FilterKind::rotate:
        case FilterKind::all:
        case FilterKind::first:
            return;
    }
}

/// A filter is a name, or a map of one name and its parameters.
std::optional<Filter> parse_filter(Cursor& item, const Names& sites, const Names& services) {
    std::string name;
    std::optional<Cursor> parameters;
    if (item.is_map()) {
        auto entries = item.entries();
        if (entries.size() != 1) {
            item.error("must be a filter's name, or a map of one filter and its parameters");
            return std::nullopt;
        }
        name = entries[0].first;
        parameters = entries[0].second;
    } else {
        name = item.value<std::string>();
        if (item.is_sequence()) return std::nullopt;
    }
    const auto kind = steering::parse_filter_kind(name);
    if (!kind) {
        item.unknown("filter", name, steering::filter_names());
        return std::nullopt;
    }
    Filter out{*kind};
    if (*kind == FilterKind::first) {
        out.count = item.is_map() ? item.in_range("first", 1U, 64U, 1U) : 1;
        return out;
    }
    if (!parameters) {
        if (*kind == FilterKind::depends) item.error("needs 'facts' or 'services'");
        return out;
    }
    parse_parameters(*parameters, sites, services, out);
    parameters->finish();
    return out;
}

}  // namespace

std::vector<Filter> parse_filters(
    std::optional<Cursor> at, const Names& sites, const Names& services
) {
    using enum steering::FilterKind;
    if (!at) return {{override_}, {up}, {nearest}, {failover}};
    std::vector<Filter> out;
    bool all_known = true;
    for (auto& item : at->items()) {
        if (auto filter = parse_filter(item, sites, services))
            out.push_back(std::move(*filter));
        else
            all_known = false;
    }
    if (!all_known || !at->is_sequence()) return out;
    if (const auto wrong = steering::chain_error(out)) at->error(*wrong);
    return out;
}

}  // namespace twinsite::gslb::config_parts
