// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/file/ownership.hpp"
#include "gslb/config_parts.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;
using std::chrono::milliseconds;

namespace {

enum class Type : std::uint8_t {
    tcp,
    tls,
    http,
    https,
    dns,
    diameter,
    radius,
    icmp,
    external,
    push,
};
const std::vector<std::string> kTypes = {
    "tcp", "tls", "http", "https", "dns", "diameter", "radius", "icmp", "external", "push"
};
using Types = std::vector<Type>;

/// Keys that only some types have.
const std::vector<std::pair<const char*, Types>> kKeysOfTypes = {
    {"path", {Type::http, Type::https}},
    {"host", {Type::http, Type::https}},
    {"expect_status", {Type::http, Type::https}},
    {"expect_body", {Type::http, Type::https}},
    {"body_bytes", {Type::http, Type::https}},
    {"server_name", {Type::tls, Type::https}},
    {"ca", {Type::tls, Type::https}},
    {"verify", {Type::tls, Type::https}},
    {"minimum_days", {Type::tls, Type::https}},
    {"query", {Type::dns}},
    {"record", {Type::dns}},
    {"expect_rcode", {Type::dns}},
    {"expect_answer", {Type::dns}},
    {"recursion", {Type::dns}},
    {"origin_host", {Type::diameter}},
    {"origin_realm", {Type::diameter}},
    {"applications", {Type::diameter}},
    {"expect_result", {Type::diameter}},
    {"secret_file", {Type::radius}},
    {"demand_authenticator", {Type::radius}},
    {"command", {Type::external}},
    {"port",
     {Type::tcp,
      Type::tls,
      Type::http,
      Type::https,
      Type::dns,
      Type::diameter,
      Type::radius,
      Type::external}},
    {"timeout",
     {Type::tcp,
      Type::tls,
      Type::http,
      Type::https,
      Type::dns,
      Type::diameter,
      Type::radius,
      Type::icmp,
      Type::external}},
};

void refuse_foreign_keys(Cursor& item, Type type) {
    for (const auto& [key, types] : kKeysOfTypes) {
        if (std::find(types.begin(), types.end(), type) != types.end()) continue;
        if (auto at = item.find(key))
            at->error(
                "has no meaning for a check of type " + kTypes[static_cast<std::size_t>(type)]
            );
    }
}

/// Numbers of a list between two bounds; at least one.
template <class Number>
std::vector<Number> parse_numbers(
    Cursor& item,
    std::string_view key,
    std::uint32_t low,
    std::uint32_t high,
    const char* what,
    std::vector<Number> fallback
) {
    auto list = item.find(key);
    if (!list) return fallback;
    std::vector<Number> out;
    for (auto one : list->items()) {
        const auto value = one.value<std::uint32_t>();
        if (value < low || value > high)
            one.error(
                std::string("must be ") + what + " between " + std::to_string(low) + " and " +
                std::to_string(high)
            );
        out.push_back(static_cast<Number>(value));
    }
    if (list->is_sequence() && out.empty()) list->error("must list at least one");
    return out;
}

std::vector<unsigned> parse_statuses(Cursor& item) {
    auto status = item.find("expect_status");
    if (!status) return {200};
    std::vector<unsigned> out;
    for (auto code : status->items()) {
        out.push_back(code.value<unsigned>());
        if (out.back() < 100 || out.back() > 599)
            code.error("must be an HTTP status between 100 and 599");
    }
    if (status->is_sequence() && out.empty()) status->error("must list at least one status");
    return out;
}

probe::TlsAsk parse_tls(Cursor& item) {
    probe::TlsAsk out;
    out.server_name = item.optional("server_name", out.server_name);
    if (item.find("ca")) out.ca = parse_file(item, "ca");
    out.verify = item.optional("verify", out.verify);
    out.minimum_days = item.in_range("minimum_days", 0U, 3650U, out.minimum_days);
    return out;
}

probe::HttpAsk parse_http(Cursor& item, bool tls) {
    probe::HttpAsk out;
    if (auto path = item.find("path")) {
        out.path = path->value<std::string>();
        if (!out.path.starts_with('/') || out.path.find_first_of(" \t\r\n") != std::string::npos)
            path->error("must begin with '/' and hold no blanks");
    }
    out.host = item.optional("host", out.host);
    out.expect_status = parse_statuses(item);
    out.expect_body = item.optional("expect_body", out.expect_body);
    out.body_bytes = item.in_range("body_bytes", 1U, 1'048'576U, out.body_bytes);
    if (tls) out.tls = parse_tls(item);
    return out;
}

std::vector<std::uint16_t> parse_rcodes(Cursor& item) {
    const std::vector<std::string> names = {
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"
    };
    auto list = item.find("expect_rcode");
    if (!list) return {0};
    std::vector<std::uint16_t> out;
    for (auto one : list->items()) {
        const auto name = one.value<std::string>();
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            one.unknown("response code", name, names);
        else
            out.push_back(static_cast<std::uint16_t>(found - names.begin()));
    }
    if (list->is_sequence() && list->items().empty()) list->error("must list at least one");
    return out;
}

probe::DnsAsk parse_dns(Cursor& item) {
    probe::DnsAsk out;
    out.name = parse_dns_name(item.child("query")).to_string();
    if (auto record = item.find("record")) {
        const auto text = record->value<std::string>();
        const auto type = wire::dns::parse_type(text);
        if (!type || wire::dns::type::is_meta(*type))
            record->error(
                "must be a record type such as A, not '" + base::text::printable(text) + "'"
            );
        else
            out.type = *type;
    }
    out.expect_rcode = parse_rcodes(item);
    if (auto answers = item.find("expect_answer"))
        for (auto one : answers->items()) out.expect_answer.push_back(one.value<std::string>());
    out.recursion = item.optional("recursion", out.recursion);
    return out;
}

std::string parse_identity(Cursor at) {
    const auto text = at.value<std::string>();
    if (at.exists() &&
        (text.empty() || text.size() > 255 || text.find_first_of(" \t\r\n;") != std::string::npos))
        at.error("must be a DiameterIdentity such as gslb-1.example.net");
    return text;
}

probe::DiameterAsk parse_diameter(Cursor& item) {
    constexpr std::uint32_t kAny = 0xFFFFFFFF;
    probe::DiameterAsk out;
    out.origin_host = parse_identity(item.child("origin_host"));
    out.origin_realm = parse_identity(item.child("origin_realm"));
    out.applications =
        parse_numbers(item, "applications", 0, kAny, "an application", out.applications);
    out.expect_result =
        parse_numbers(item, "expect_result", 1000, 5999, "a Result-Code", out.expect_result);
    return out;
}

probe::RadiusAsk parse_radius(Cursor& item) {
    probe::RadiusAsk out;
    out.secret_file = parse_file(item, "secret_file");
    out.demand_authenticator = item.optional("demand_authenticator", out.demand_authenticator);
    return out;
}

/// Whoever can write here can have us run anything.
probe::ExternalAsk parse_external(Cursor& item) {
    probe::ExternalAsk out;
    auto command = item.child("command");
    for (auto word : command.items()) out.command.push_back(word.value<std::string>());
    if (!command.exists()) return out;
    if (out.command.empty() || !out.command.front().starts_with('/')) {
        command.error("must list the absolute path of a program, and its arguments");
        return out;
    }
    const auto& program = out.command.front();
    if (const auto why = base::file::distrust_of(program); !why.empty())
        command.error("program '" + base::text::printable(program) + "': " + why);
    if (const auto why = base::file::distrust_of(command.file()); !why.empty())
        command.error("programs are run only from a configuration nobody else can change: " + why);
    return out;
}

probe::Ask parse_ask(Cursor& item, Type type, const std::string& name) {
    switch (type) {
        case Type::tcp:
            return probe::TcpAsk{};
        case Type::tls:
            return parse_tls(item);
        case Type::http:
        case Type::https:
            return parse_http(item, type == Type::https);
        case Type::dns:
            return parse_dns(item);
        case Type::diameter:
            return parse_diameter(item);
        case Type::radius:
            return parse_radius(item);
        case Type::icmp:
            return probe::IcmpAsk{};
        case Type::external:
            return parse_external(item);
        case Type::push:
            return probe::PushAsk{name};
    }
    return probe::TcpAsk{};
}

/// 0: the type has no usual port.
std::uint16_t usual_port(Type type) {
    switch (type) {
        case Type::dns:
            return 53;
        case Type::diameter:
            return 3868;
        case Type::radius:
            return 1812;
        default:
            return 0;
    }
}

std::uint16_t parse_port(Cursor& item, Type type) {
    if (type == Type::icmp || type == Type::push) return 0;
    if (type == Type::external && !item.find("port")) return 0;  // the program may need none
    const auto usual = usual_port(type);
    if (usual == 0) item.child("port");
    const auto fallback = std::max<int>(usual, 1);
    return static_cast<std::uint16_t>(item.in_range("port", 1, 65'535, fallback));
}

milliseconds parse_timeout(Cursor& item, milliseconds interval) {
    auto timeout = item.find("timeout");
    if (!timeout) return interval / 2;
    const auto out = timeout->value<milliseconds>();
    if (out < milliseconds(10) || out > interval)
        timeout->error(
            "must be between 10ms and the interval of " + base::text::format_duration(interval)
        );
    return out;
}

CheckConfig parse_check(Cursor& item, std::set<std::string>& taken) {
    CheckConfig check;
    check.name = parse_name_of(item, taken);
    const auto known = item.child("type").value<std::string>();
    auto place = item.one_of("type", kTypes, 0);
    // With no such type nothing can be said about the keys that go with it.
    const bool no_type = kTypes[place] != known;
    if (no_type) place = static_cast<std::size_t>(Type::http);
    const auto type = static_cast<Type>(place);
    if (!no_type) refuse_foreign_keys(item, type);
    check.port = parse_port(item, type);
    check.ask = parse_ask(item, type, check.name);
    check.interval =
        item.in_range("interval", milliseconds(100), milliseconds(3'600'000), check.interval);
    check.timeout = check.interval / 2;
    if (type != Type::push) check.timeout = parse_timeout(item, check.interval);
    constexpr std::uint32_t kMost = 1000;
    auto& thresholds = check.thresholds;
    thresholds.up = item.in_range("up_threshold", 1U, kMost, thresholds.up);
    thresholds.ok = item.in_range("ok_threshold", 1U, kMost, thresholds.ok);
    thresholds.down = item.in_range("down_threshold", 1U, kMost, thresholds.down);
    thresholds.hold_down =
        item.in_range("hold_down", milliseconds(0), milliseconds(86'400'000), thresholds.hold_down);
    item.finish();
    return check;
}

std::vector<std::string> parse_witnesses(Cursor list) {
    std::vector<std::string> out;
    for (auto item : list.items()) {
        out.push_back(item.value<std::string>());
        if (out.back().empty()) item.error("must not be empty");
    }
    return out;
}

std::vector<HealthConfig::Point> parse_own_link(Cursor list, const Names& checks) {
    std::vector<HealthConfig::Point> out;
    for (auto item : list.items()) {
        HealthConfig::Point point;
        const auto check = parse_reference(item.child("check"), "check", checks);
        point.check = check.value_or(0);
        point.address = item.required<base::text::IpAddress>("address");
        item.finish();
        if (check) out.push_back(point);
    }
    return out;
}

}  // namespace

void parse_checks(Cursor at, Config& out) {
    std::set<std::string> taken;
    for (auto item : at.items()) out.checks.push_back(parse_check(item, taken));
}

std::optional<health::Quorum> parse_quorum_in(Cursor& map) {
    auto at = map.find("quorum");
    if (!at) return std::nullopt;
    const auto text = at->value<std::string>();
    const auto quorum = health::parse_quorum(text);
    if (!quorum)
        at->error(
            "must be any, majority, all or a number from 1 to 1000, not '" +
            base::text::printable(text) + "'"
        );
    return quorum;
}

void parse_health(Cursor at, Config& out) {
    auto& health = out.health;
    health.parallel = at.in_range("parallel", 1U, 10'000U, health.parallel);
    if (const auto quorum = parse_quorum_in(at)) health.quorum = *quorum;
    if (auto list = at.find("witnesses")) health.witnesses = parse_witnesses(*list);
    std::vector<std::string> names;
    for (const auto& check : out.checks) names.push_back(check.name);
    if (auto list = at.find("own_link"))
        health.own_link = parse_own_link(*list, Names(std::move(names)));
    at.finish();
}

}  // namespace twinsite::gslb::config_parts
