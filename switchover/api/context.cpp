// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/context.hpp"

#include <boost/json.hpp>

#include "base/text/text.hpp"
#include "switchover/api/json.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;

Response uncached(Response response) {
    response.headers.emplace_back("Cache-Control", "no-store");
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
}

std::string_view title_of(unsigned status) {
    switch (status) {
        case 404:
            return "Not found";
        case 409:
            return "Refused by a rule";
        case 422:
            return "Wrong value";
        case 503:
            return "Not available";
        default:
            return "Refused";
    }
}

}  // namespace

Response json_answer(const json::object& value, unsigned status) {
    Response out;
    out.status = status;
    out.body = json::serialize(value);
    return uncached(std::move(out));
}

Response refuse(
    unsigned status, std::string_view title, std::string_view text, std::string_view rule
) {
    return uncached(
        base::http::problem(status, title, text, "\"rule\":" + base::http::quote_json(rule))
    );
}

Response refuse(const Refusal& refusal) {
    auto members = "\"rule\":" + base::http::quote_json(refusal.rule);
    if (!refusal.gates.empty()) members += ",\"gates\":" + json::serialize(to_json(refusal.gates));
    return uncached(
        base::http::problem(refusal.status, title_of(refusal.status), refusal.text, members)
    );
}

Response not_available(const base::Error& failure) {
    return refuse(
        503, title_of(503), "the store cannot be used now: " + failure.message(), "store"
    );
}

bool is_unsafe(const Request& request) {
    return request.method != "GET" && request.method != "HEAD";
}

std::optional<Response> refuse_foreign_page(const Request& request) {
    const auto* site = base::http::find_header(request.headers, "Sec-Fetch-Site");
    if (site && *site != "same-origin" && *site != "none")
        return refuse(403, "Forbidden", "the request comes from another site's page", "csrf");
    const auto* type = base::http::find_header(request.headers, "Content-Type");
    const std::string_view media =
        type ? base::text::trim(std::string_view(*type).substr(0, type->find(';'))) : "";
    if (!request.body.empty() && !base::text::equals_ignoring_case(media, "application/json"))
        return refuse(415, "Wrong content type", "the body must be application/json", "bad-body");
    return std::nullopt;
}

std::optional<std::uint64_t> query_number(
    const Request& request,
    std::string_view name,
    std::uint64_t low,
    std::uint64_t high,
    std::uint64_t usual
) {
    const auto text = base::http::find_query(request, name);
    if (!text) return usual;
    const auto number = base::text::parse_number<std::uint64_t>(*text);
    if (!number || *number < low || *number > high) return std::nullopt;
    return number;
}

}  // namespace twinsite::switchover::api
