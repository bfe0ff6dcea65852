// SPDX-License-Identifier: Apache-2.0
#include "monitor/config.hpp"

#include <set>
#include <utility>

#include "base/net/endpoint_config.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor {
namespace {

using base::config::Cursor;
using base::net::Endpoint;
using std::chrono::milliseconds;

constexpr std::size_t kMaxServers = 16;
constexpr std::uint64_t kMebibyte = 1024 * 1024;
const std::vector<std::string> kRoles = {"agent", "site"};
const std::vector<std::string> kKinds = {"interface", "processing", "database", "other"};

std::string parse_word(Cursor at) {
    auto out = at.value<std::string>();
    if (at.exists() && !wire::contract::is_word(out)) at.error("must be 1 to 63 of a-z, 0-9 and -");
    return out;
}

std::string parse_path(Cursor at) {
    auto path = at.value<std::string>();
    if (at.exists() && path.empty()) at.error("must not be empty");
    if (path.empty() || path.front() == '/') return path;
    return at.folder() + "/" + path;
}

std::string parse_one_path(Cursor at, std::string_view key) {
    auto path = parse_path(at.child(key));
    at.finish();
    return path;
}

std::vector<Endpoint> parse_servers(Cursor at) {
    std::vector<Endpoint> out;
    std::set<Endpoint> seen;
    if (!at.exists()) return out;
    for (auto& item : at.items()) {
        out.push_back(item.value<Endpoint>());
        if (out.back().port == 0) item.error("must have a port from 1 to 65535");
        if (!seen.insert(out.back()).second) item.error("is listed twice");
    }
    if (out.empty()) at.error("must name at least one server");
    if (out.size() > kMaxServers) at.error("must name at most 16 servers");
    return out;
}

report::TlsFiles parse_tls(Cursor at) {
    report::TlsFiles out;
    out.certificate = parse_path(at.child("certificate"));
    out.key = parse_path(at.child("key"));
    out.ca = parse_path(at.child("ca"));
    if (auto crl = at.find("crl")) out.crl = parse_path(*crl);
    at.finish();
    return out;
}

report::MemoryLimits parse_memory(Cursor at, report::MemoryLimits fallback) {
    constexpr std::uint64_t kLargest = 65536;
    const auto soft = at.in_range("soft_mib", 16, kLargest, fallback.soft_bytes / kMebibyte);
    const auto hard = at.in_range("hard_mib", 16, kLargest, fallback.hard_bytes / kMebibyte);
    if (soft >= hard) at.error("'soft_mib' must be below 'hard_mib'");
    at.finish();
    return {soft * kMebibyte, hard * kMebibyte};
}

void parse_agent(Cursor& root, Config& out) {
    out.kind = kKinds[root.one_of("kind", kKinds, kKinds.size() - 1)];
    if (auto actions = root.find("actions")) out.actions_file = parse_one_path(*actions, "file");
    if (auto collect = root.find("collect")) out.collect = collect::parse_collect(*collect);
}

void parse_site(Cursor& root, Config& out) {
    out.listen = root.required<Endpoint>("listen");
    if (auto probes = root.find("probes"))
        for (auto& item : probes->items()) {
            out.probes.push_back(site::parse_probe(item));
            for (std::size_t other = 0; other + 1 < out.probes.size(); ++other)
                if (out.probes[other].name == out.probes.back().name)
                    item.error("a second probe '" + out.probes.back().name + "'");
        }
}

}  // namespace

Config parse_config(Cursor root) {
    Config out;
    if (!root.find("role")) root.error("missing key 'role'");
    out.role = static_cast<Role>(root.one_of("role", kRoles, 0));
    const bool is_agent = out.role == Role::agent;
    out.links.self.role = is_agent ? "agent" : "monitor";
    out.links.self.name = parse_word(root.child("node"));
    out.links.self.site = parse_word(root.child("site"));
    out.links.interval =
        root.in_range("interval", milliseconds(200), std::chrono::minutes(10), out.links.interval);
    out.links.servers = parse_servers(root.child("servers"));
    if (auto bind = root.find("bind")) out.links.bind = bind->value<base::text::IpAddress>();
    out.links.tls = parse_tls(root.child("tls"));
    out.state_directory = parse_one_path(root.child("state"), "directory");
    if (auto socket = root.find("socket")) out.socket = parse_path(*socket);
    if (!is_agent) out.memory = {512 * kMebibyte, 768 * kMebibyte};
    if (auto memory = root.find("memory")) out.memory = parse_memory(*memory, out.memory);
    if (is_agent)
        parse_agent(root, out);
    else
        parse_site(root, out);
    root.finish();
    return out;
}

}  // namespace twinsite::monitor
