// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/server_api.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/http/router.hpp"
#include "base/text/text.hpp"
#include "gslb/control/cookie_file.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/control/json.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::problem;
using base::http::Request;
using base::http::Response;
using wire::dns::CookieSecret;
using wire::dns::CookieSecrets;

constexpr std::size_t kDefaultQueries = 100;
constexpr std::size_t kMostQueries = 10'000;

std::string name_text(const std::vector<std::uint8_t>& wire) {
    std::size_t offset = 0;
    const auto name = wire::dns::decode_name(wire, offset);
    return name ? name->to_string() : "";
}

std::string class_text(std::uint16_t klass) {
    if (klass == wire::dns::kClassIn) return "IN";
    if (klass == wire::dns::kClassChaos) return "CH";
    return "CLASS" + std::to_string(klass);
}

json::object to_json(const Helm& helm, const server::QueryRecord& record) {
    const auto& outcome = record.outcome;
    json::object out{
        {"time_s", record.time_s},
        {"client", to_string(record.client)},
        {"transport", record.transport == answer::Transport::tcp ? "tcp" : "udp"},
        {"name", name_text(record.name)},
        {"type", record.name.empty() ? "" : wire::dns::type_to_string(record.type)},
        {"class", record.name.empty() ? "" : class_text(record.klass)},
        {"rcode", wire::dns::rcode_to_string(static_cast<wire::dns::Rcode>(outcome.rcode))},
        {"reply_bytes", record.reply_bytes},
        {"cookie_valid", outcome.cookie_valid},
        {"snapshot", record.snapshot}
    };
    if (outcome.steered == answer::Outcome::kNone) return out;
    const auto& policies = helm.setup().steering->policies;
    out["steered"] = outcome.steered < policies.size() ? policies[outcome.steered].owner : "";
    out["client_class"] = outcome.client_class;
    out["variant"] = outcome.variant;
    out["scope"] = outcome.scope;
    return out;
}

/// Tells whether two servers have the same secret, and nothing of it.
std::string fingerprint(const CookieSecret& secret) {
    constexpr std::string_view kText = "cookie secret";
    std::array<std::uint8_t, kText.size()> bytes;
    std::copy(kText.begin(), kText.end(), bytes.begin());
    constexpr const char* kDigits = "0123456789abcdef";
    std::uint64_t hash = wire::dns::siphash24(secret, bytes);
    std::string out;
    for (int i = 0; i < 16; ++i, hash >>= 4) out += kDigits[hash & 0xf];
    return out;
}

json::object to_json(const CookieSecrets& secrets) {
    json::object out{{"current", fingerprint(secrets.current)}, {"other", nullptr}};
    if (secrets.other) out["other"] = fingerprint(*secrets.other);
    return out;
}

Response apply(const ServerSeams& seams, const CookieSecrets& next) {
    if (const auto kept = seams.set_cookies(next); !kept)
        return problem(500, "Not kept", "the secrets stay as they were: " + kept.error().message());
    return json_answer(to_json(next));
}

/// The secret of the body; `fresh` when it names none. Else what is wrong.
std::variant<std::optional<CookieSecret>, std::string> read_secret(const Request& request) {
    if (base::text::trim(request.body).empty()) return std::nullopt;
    boost::system::error_code error;
    const auto body = json::parse(request.body, error);
    if (error || !body.is_object()) return "the body must be a JSON object";
    const auto& object = body.as_object();
    const auto* value = object.if_contains("secret");
    if (value == nullptr)
        return object.empty() ? std::variant<std::optional<CookieSecret>, std::string>(std::nullopt)
                              : "only 'secret' is known here";
    if (object.size() > 1) return "only 'secret' is known here";
    const auto secret = value->is_string() ? parse_cookie_secret(value->as_string()) : std::nullopt;
    if (!secret) return "'secret' must be 32 hex digits";
    return secret;
}

}  // namespace

Response list_queries(const Helm& helm, const ServerSeams& seams, const Request& request) {
    std::size_t count = kDefaultQueries;
    if (const auto text = base::http::find_query(request, "last"); text && !text->empty()) {
        const auto number = base::text::parse_number<std::size_t>(*text);
        if (!number || *number < 1 || *number > kMostQueries)
            return problem(
                422, "Wrong parameter", "parameter 'last' must be a number from 1 to 10000"
            );
        count = *number;
    }
    json::array out;
    if (seams.last_queries)
        for (const auto& record : seams.last_queries(count)) out.push_back(to_json(helm, record));
    return json_answer({{"queries", out}});
}

Response show_cookies(const ServerSeams& seams) {
    return json_answer(to_json(seams.cookies()));
}

Response stage_cookie_secret(const ServerSeams& seams, const Request& request) {
    auto wanted = read_secret(request);
    if (const auto* wrong = std::get_if<std::string>(&wanted))
        return problem(422, "Wrong body", *wrong);
    const auto given = std::get<0>(wanted);
    CookieSecrets next = seams.cookies();
    next.other = given ? *given : seams.fresh_secret();
    if (*next.other == next.current)
        return problem(409, "Already in use", "the secret is the current one");
    auto out = apply(seams, next);
    if (given || out.status != 200) return out;
    auto told = to_json(next);
    told["secret"] = cookie_secret_text(*next.other);
    return json_answer(told);
}

Response promote_cookie_secret(const ServerSeams& seams) {
    CookieSecrets next = seams.cookies();
    if (!next.other) return problem(409, "Nothing staged", "stage a secret first");
    std::swap(next.current, *next.other);
    return apply(seams, next);
}

Response start_replacement(const ServerSeams& seams) {
    const auto process = seams.replace();
    if (!process) return problem(500, "Not started", process.error().message());
    auto out = json_answer({{"process", *process}});
    out.status = 202;
    return out;
}

Response retire_cookie_secret(const ServerSeams& seams) {
    CookieSecrets next = seams.cookies();
    next.other.reset();
    return apply(seams, next);
}

}  // namespace twinsite::gslb::control
