// SPDX-License-Identifier: Apache-2.0
// `group`: the other gslbs, and how they are talked to.
#include <algorithm>

#include <unistd.h>

#include "base/net/endpoint_config.hpp"
#include "gslb/config_parts.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;
using std::chrono::milliseconds;

namespace {

std::string parse_readable(Cursor& item, std::string_view key) {
    auto at = item.child(key);
    auto path = resolved(at, at.value<std::string>());
    if (at.exists() && ::access(path.c_str(), R_OK) != 0)
        at.error("file '" + path + "' cannot be read");
    return path;
}

TlsFiles parse_pair(Cursor& at) {
    TlsFiles out;
    out.certificate = parse_readable(at, "certificate");
    out.key = parse_readable(at, "key");
    return out;
}

void parse_group_tls(Cursor at, GroupConfig& out) {
    out.tls = parse_pair(at);
    out.ca = parse_readable(at, "ca");
    if (at.find("crl")) out.crl = parse_readable(at, "crl");
    at.finish();
}

std::vector<GroupPeer> parse_peers(Cursor at, const std::string& node) {
    constexpr std::size_t kMost = 15;
    std::vector<GroupPeer> out;
    std::set<std::string> taken;
    const auto items = at.items();
    if (at.is_sequence() && (items.empty() || items.size() > kMost))
        at.error("must list between 1 and " + std::to_string(kMost) + " other gslbs");
    for (auto item : items) {
        GroupPeer peer;
        peer.name = parse_name_of(item, taken);
        if (!peer.name.empty() && peer.name == node)
            item.error("'" + peer.name + "' is this node itself");
        peer.address = parse_endpoint_at(item.child("address")).value_or(base::net::Endpoint{});
        item.finish();
        out.push_back(std::move(peer));
    }
    return out;
}

}  // namespace

std::optional<GroupConfig> parse_group(std::optional<Cursor> at, const std::string& node) {
    if (!at) return std::nullopt;
    GroupConfig out;
    out.listen = parse_endpoint_at(at->child("listen")).value_or(base::net::Endpoint{});
    parse_group_tls(at->child("tls"), out);
    if (auto signing = at->find("signing")) {
        out.signing = parse_pair(*signing);
        signing->finish();
    }
    out.peers = parse_peers(at->child("peers"), node);
    const milliseconds most(60'000);
    out.heartbeat = at->in_range("heartbeat", milliseconds(50), most, out.heartbeat);
    out.digest = at->in_range("digest", milliseconds(50), most, out.digest);
    out.silent_after = out.heartbeat * 3;
    out.silent_after = at->in_range("silent_after", out.heartbeat, most * 10, out.silent_after);
    out.keep = at->in_range("keep", 2U, 1'000U, out.keep);
    at->finish();
    return out;
}

}  // namespace twinsite::gslb::config_parts
