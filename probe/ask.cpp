// SPDX-License-Identifier: Apache-2.0
#include "probe/ask.hpp"

#include "base/http/message.hpp"

namespace twinsite::probe {

namespace {

using base::http::quote_json;

template <class Items, class Show>
std::string listed(const Items& items, Show show) {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : " ") + show(item);
    return out;
}
template <class Number>
std::string numbers(const std::vector<Number>& items) {
    return listed(items, [](Number item) { return std::to_string(item); });
}
std::string texts(const std::vector<std::string>& items) {
    return listed(items, [](const std::string& item) { return quote_json(item); });
}

std::string show(const TcpAsk&) {
    return {};
}
std::string show(const TlsAsk& ask) {
    std::string out = "name " + quote_json(ask.server_name);
    if (!ask.ca.empty()) out += " ca " + quote_json(ask.ca);
    if (!ask.verify) out += " any issuer";
    if (ask.minimum_days > 0) out += " days " + std::to_string(ask.minimum_days);
    return out;
}
std::string show(const HttpAsk& ask) {
    auto out = "GET " + quote_json(ask.path) + " host " + quote_json(ask.host) + " status " +
               numbers(ask.expect_status);
    if (!ask.expect_body.empty())
        out += " body " + quote_json(ask.expect_body) + " in " + std::to_string(ask.body_bytes);
    if (ask.tls) out += " tls " + show(*ask.tls);
    return out;
}
std::string show(const DnsAsk& ask) {
    auto out = "name " + quote_json(ask.name) + " type " + std::to_string(ask.type) + " rcode " +
               numbers(ask.expect_rcode);
    if (!ask.expect_answer.empty()) out += " answer " + texts(ask.expect_answer);
    if (ask.recursion) out += " recursion";
    return out;
}
std::string show(const DiameterAsk& ask) {
    return "as " + quote_json(ask.origin_host) + " of " + quote_json(ask.origin_realm) +
           " applications " + numbers(ask.applications) + " result " + numbers(ask.expect_result);
}
std::string show(const RadiusAsk& ask) {
    auto out = "secret " + quote_json(ask.secret_file);
    if (ask.demand_authenticator) out += " authenticator";
    return out;
}
std::string show(const IcmpAsk&) {
    return {};
}
std::string show(const ExternalAsk& ask) {
    return texts(ask.command);
}
std::string show(const PushAsk& ask) {
    return ask.name;
}

}  // namespace

const char* kind_of(const Ask& ask) {
    if (const auto* http = std::get_if<HttpAsk>(&ask)) return http->tls ? "https" : "http";
    constexpr const char* kNames[] = {
        "tcp", "tls", "http", "dns", "diameter", "radius", "icmp", "external", "push"
    };
    static_assert(std::size(kNames) == std::variant_size_v<Ask>);
    return kNames[ask.index()];
}

bool has_port(const Ask& ask) {
    return !std::holds_alternative<IcmpAsk>(ask) && !std::holds_alternative<PushAsk>(ask);
}

std::string details_of(const Ask& ask) {
    return std::visit([](const auto& one) { return show(one); }, ask);
}

}  // namespace twinsite::probe
