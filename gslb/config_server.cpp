// SPDX-License-Identifier: Apache-2.0
#include "gslb/config_server.hpp"

#include "gslb/config_parts.hpp"

namespace twinsite::gslb {
namespace {

using base::config::Cursor;

std::string parse_text(Cursor& parent, const char* key, std::size_t most) {
    auto at = parent.find(key);
    if (!at) return {};
    auto text = at->value<std::string>();
    if (text.empty() || text.size() > most)
        at->error("must have 1 to " + std::to_string(most) + " bytes");
    return text;
}

void parse_edns(Cursor at, ServerConfig& out) {
    constexpr std::uint16_t kLeast = 512;
    constexpr std::uint16_t kMost = 4096;
    out.ipv4_payload_bytes =
        at.in_range("ipv4_payload_bytes", kLeast, kMost, out.ipv4_payload_bytes);
    out.ipv6_payload_bytes =
        at.in_range("ipv6_payload_bytes", kLeast, kMost, out.ipv6_payload_bytes);
    out.cookies = at.optional("cookies", out.cookies);
    out.extended_errors = at.optional("extended_errors", out.extended_errors);
    at.finish();
}

void parse_identity(Cursor at, ServerConfig& out) {
    constexpr std::size_t kMostNsid = 128;
    constexpr std::size_t kMostText = 255;  // of a TXT string
    out.nsid = parse_text(at, "nsid", kMostNsid);
    out.chaos_version = parse_text(at, "version", kMostText);
    out.chaos_id = parse_text(at, "id", kMostText);
    at.finish();
}

RateLimitConfig parse_rate_limit(Cursor at) {
    RateLimitConfig out;
    at.child("responses_per_second");
    out.per_second = at.in_range("responses_per_second", 0U, 1'000'000U, 0U);
    out.slip = at.in_range("slip", 0U, 100U, out.slip);
    out.ipv4_prefix = at.in_range("ipv4_prefix", 1U, 32U, out.ipv4_prefix);
    out.ipv6_prefix = at.in_range("ipv6_prefix", 1U, 64U, out.ipv6_prefix);
    out.table_entries = at.in_range("table_entries", 1024U, 1U << 24, out.table_entries);
    at.finish();
    return out;
}

}  // namespace

ServerConfig parse_server(Cursor root, std::uint16_t payload_bytes) {
    ServerConfig out;
    out.ipv4_payload_bytes = out.ipv6_payload_bytes = payload_bytes;
    if (auto at = root.find("edns")) parse_edns(*at, out);
    if (auto at = root.find("identity")) parse_identity(*at, out);
    if (auto at = root.find("rate_limit")) out.rate_limit = parse_rate_limit(*at);
    if (auto at = root.find("query_log")) {
        constexpr std::uint32_t kMost = 1U << 20;
        out.logged_queries =
            at->in_range("entries", 0U, kMost, static_cast<std::uint32_t>(out.logged_queries));
        at->finish();
    }
    if (auto at = root.find("dnstap")) {
        auto socket = at->child("socket");
        out.dnstap_socket = config_parts::resolved(socket, socket.value<std::string>());
        if (socket.exists() && out.dnstap_socket.empty()) socket.error("must not be empty");
        at->finish();
    }
    return out;
}

}  // namespace twinsite::gslb
