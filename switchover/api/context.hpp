// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include <boost/json/fwd.hpp>

#include "base/http/message.hpp"
#include "switchover/api/api.hpp"
#include "switchover/api/audit_trail.hpp"
#include "switchover/api/caller.hpp"

/// What the route files share.
namespace twinsite::switchover::api {

/// Everything that handlers use; lives as long as the Api.
struct Context {
    const ApiSettings settings;
    Backend& backend;
    fleet::Fleet& fleet;
    fleet::Commands& commands;
    AuditTrail audit;

    fleet::Moment now() const { return settings.clock(); }
};

/// Tells who sent a request, or refuses it.
using Authenticate =
    std::function<std::variant<Caller, base::http::Response>(const base::http::Request&)>;

/// A JSON answer that no cache keeps.
base::http::Response json_answer(const boost::json::object& value, unsigned status = 200);
/// A problem with the member `rule`: the code that the console translates by.
base::http::Response refuse(
    unsigned status, std::string_view title, std::string_view text, std::string_view rule
);
base::http::Response refuse(const Refusal& refusal);
/// The store or history could not be used: 503.
base::http::Response not_available(const base::Error& failure);

bool is_unsafe(const base::http::Request& request);
/// For what changes something: pages of other origins can send forms, but not JSON, without asking
/// first; and browsers tell where a request comes from. 403 or 415, nullopt when it is good.
std::optional<base::http::Response> refuse_foreign_page(const base::http::Request& request);
/// The number of a query parameter, `usual` when it is absent; nullopt when it is no number of the
/// range.
std::optional<std::uint64_t> query_number(
    const base::http::Request& request,
    std::string_view name,
    std::uint64_t low,
    std::uint64_t high,
    std::uint64_t usual
);

}  // namespace twinsite::switchover::api
