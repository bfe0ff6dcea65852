// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/draft.hpp"

#include "gslb/answer/conduct.hpp"
#include "wire/dns/cookie.hpp"

namespace twinsite::gslb::answer {

namespace dns = wire::dns;
using dns::Query;
using dns::Rcode;

namespace {

constexpr std::size_t kOptionHeaderBytes = 4;
constexpr std::size_t kKeepaliveBytes = kOptionHeaderBytes + 2;
constexpr std::size_t kExtendedErrorBytes = kOptionHeaderBytes + 2;
constexpr std::size_t kCookieBytes = kOptionHeaderBytes + dns::kFullCookieBytes;

bool owes_keepalive(const Context& context, const Query& query) {
    // Never over UDP (RFC 7828 section 3.3.1).
    return query.edns.tcp_keepalive && context.transport == Transport::tcp;
}

std::uint8_t* put_option(std::uint8_t* at, std::uint16_t code, std::size_t size) {
    dns::store16(at, code);
    dns::store16(at + 2, static_cast<std::uint16_t>(size));
    return at + kOptionHeaderBytes;
}

/// A fresh cookie in every reply: clients keep the newest, so none grows old while it is used.
std::uint8_t* put_cookie(const Context& context, Draft& draft, std::uint8_t* at) {
    const auto theirs = draft.query.edns.cookie;
    const dns::CookieSecrets& secrets = context.conduct->cookie_secrets;
    context.counters.cookie.add();
    draft.cookie_valid = dns::is_valid_cookie(secrets, theirs, context.source, context.now_s);
    if (draft.cookie_valid) context.counters.cookie_valid.add();
    at = put_option(at, dns::option::cookie, dns::kFullCookieBytes);
    std::copy_n(theirs.data(), dns::kClientCookieBytes, at);
    dns::make_server_cookie(
        secrets.current, at, context.source, context.now_s, at + dns::kClientCookieBytes
    );
    return at + dns::kFullCookieBytes;
}

}  // namespace

std::size_t more_option_bytes(const Context& context, const Query& query) {
    const Conduct& conduct = *context.conduct;
    std::size_t out = 0;
    if (!query.edns.cookie.empty() && conduct.cookies) out += kCookieBytes;
    if (query.edns.nsid && !conduct.nsid.empty()) out += kOptionHeaderBytes + conduct.nsid.size();
    if (owes_keepalive(context, query)) out += kKeepaliveBytes;
    return out;
}

void write_more_options(const Context& context, Draft& draft, std::uint8_t* opt) {
    if (context.conduct == nullptr) return;
    const Conduct& conduct = *context.conduct;
    std::uint8_t* const begin = draft.out + draft.at;
    std::uint8_t* at = begin;
    const dns::Edns& edns = draft.query.edns;
    if (!edns.cookie.empty() && conduct.cookies) at = put_cookie(context, draft, at);
    if (edns.nsid && !conduct.nsid.empty()) {
        at = put_option(at, dns::option::nsid, conduct.nsid.size());
        at = std::copy(conduct.nsid.begin(), conduct.nsid.end(), at);
    }
    if (owes_keepalive(context, draft.query)) {
        at = put_option(at, dns::option::tcp_keepalive, 2);
        dns::store16(at, conduct.keepalive_100ms);
        at += 2;
    }
    // No room was kept for it: the answer comes first.
    if (draft.why != dns::ExtendedError::none && conduct.extended_errors &&
        draft.limit - (static_cast<std::size_t>(opt - draft.out)) >= kExtendedErrorBytes) {
        at = put_option(at, dns::option::extended_error, 2);
        dns::store16(at, static_cast<std::uint16_t>(draft.why));
        at += 2;
    }
    const auto added = static_cast<std::size_t>(at - begin);
    constexpr std::size_t kRdataLength = 9;
    dns::store16(
        opt + kRdataLength, static_cast<std::uint16_t>(dns::load16(opt + kRdataLength) + added)
    );
    draft.at += added;
}

std::size_t header_only(
    const Context& context, const Query& query, Rcode rcode, std::uint8_t* out
) {
    const unsigned opcode = query.flags & dns::flag::opcode_mask;
    std::fill_n(out, dns::kHeaderBytes, std::uint8_t{0});
    std::copy_n(query.packet, 2, out);
    dns::store16(
        out + 2, static_cast<std::uint16_t>(dns::flag::qr | opcode | static_cast<unsigned>(rcode))
    );
    count_rcode(context.counters, static_cast<unsigned>(rcode));
    if (context.outcome != nullptr) {
        *context.outcome = {};
        context.outcome->kind = Outcome::Kind::error;
        context.outcome->rcode = static_cast<std::uint16_t>(rcode);
    }
    return dns::kHeaderBytes;
}

}  // namespace twinsite::gslb::answer
