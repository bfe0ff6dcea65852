// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/agent_routes.hpp"

#include <memory>
#include <utility>

#include "base/http/router.hpp"
#include "switchover/api/context.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::api {
namespace {

using base::http::PathParameters;
using base::http::Reply;
using base::http::Request;
using base::http::Response;
using fleet::Taken;
using std::chrono::milliseconds;
using wire::contract::Identity;

/// An agent's live reports come every 200 ms at most; the burst leaves room for its backlog.
constexpr double kReportBurst = 300;
constexpr milliseconds kReportPeriod{20};
constexpr std::uint64_t kUsualWaitSeconds = 25;
constexpr std::uint64_t kLongestWaitSeconds = 60;

/// The /agent/v1 handlers with their state.
class AgentRoutes {
public:
    explicit AgentRoutes(Context& context) : context_(context) {}

    Response report(const Request& request);
    Response batch(const Request& request);
    Response results(const Request& request);
    void commands(const Request& request, const Reply& reply);

private:
    using Sender = std::variant<Identity, Response>;
    Sender sender(const Request& request, const char* action, bool agents, bool monitors);
    Response forbidden(
        const Request& request,
        const std::string& action,
        const std::string& object,
        const std::string& text,
        const char* rule
    );
    Response answer(
        const Request& request,
        const std::string& action,
        const std::string& object,
        Taken taken,
        std::uint64_t seq
    );

    Context& context_;
    TokenBuckets reports_{kReportBurst, kReportPeriod};
};

Response bad_body(const base::Error& failure) {
    return refuse(422, "Bad body", failure.message(), "bad-body");
}

Response AgentRoutes::forbidden(
    const Request& request,
    const std::string& action,
    const std::string& object,
    const std::string& text,
    const char* rule
) {
    context_.audit.write_refusal_sometimes(
        {request.peer_identity, request.peer_address}, action, object, text, context_.now().now
    );
    return refuse(403, "Forbidden", text, rule);
}

AgentRoutes::Sender AgentRoutes::sender(
    const Request& request, const char* action, bool agents, bool monitors
) {
    auto identity = wire::contract::parse_identity(request.peer_identity);
    const bool fits = identity && ((agents && identity->role == "agent") ||
                                   (monitors && identity->role == "monitor"));
    if (!fits)
        return forbidden(
            request, action, request.path, "this certificate's role may not do this", "role"
        );
    if (!reports_.take(request.peer_identity, context_.now().now)) {
        auto out = refuse(429, "Too many requests", "one sender may not send so often", "rate");
        out.headers.emplace_back("Retry-After", "1");
        return out;
    }
    return std::move(*identity);
}

Response AgentRoutes::answer(
    const Request& request,
    const std::string& action,
    const std::string& object,
    Taken taken,
    std::uint64_t seq
) {
    if (taken == Taken::foreign)
        return forbidden(
            request, action, object, "this certificate does not speak for " + object, "identity"
        );
    if (taken == Taken::unknown)
        return forbidden(
            request, action, object, object + " is not in this server's configuration", "unknown"
        );
    wire::contract::Ack ack;
    ack.server = context_.settings.server;
    ack.server_wall_ms = static_cast<std::uint64_t>(context_.now().wall_ms);
    ack.accepted = seq;
    Response out;
    out.body = wire::contract::encode_ack(ack);
    return out;
}

Response AgentRoutes::report(const Request& request) {
    auto from = sender(request, "report", true, false);
    if (auto* refused = std::get_if<Response>(&from)) return std::move(*refused);
    auto report = wire::contract::decode_report(request.body);
    if (!report) return bad_body(report.error());
    const auto seq = report->seq;
    const auto host = wire::contract::host_id(report->site, report->name);
    const auto taken =
        context_.fleet.take_report(std::get<Identity>(from), std::move(*report), context_.now());
    return answer(request, "report", host, taken, seq);
}

Response AgentRoutes::batch(const Request& request) {
    auto from = sender(request, "batch", false, true);
    if (auto* refused = std::get_if<Response>(&from)) return std::move(*refused);
    auto batch = wire::contract::decode_batch(request.body);
    if (!batch) return bad_body(batch.error());
    const auto seq = batch->seq;
    const auto monitor = wire::contract::host_id(batch->site, batch->name);
    const auto taken =
        context_.fleet.take_batch(std::get<Identity>(from), std::move(*batch), context_.now());
    return answer(request, "batch", monitor, taken, seq);
}

Response AgentRoutes::results(const Request& request) {
    const auto from = sender(request, "results", true, true);
    if (const auto* refused = std::get_if<Response>(&from)) return *refused;
    const auto results = wire::contract::decode_results(request.body);
    if (!results) return bad_body(results.error());
    context_.commands.take_results(std::get<Identity>(from), *results);
    Response out;
    out.status = 204;
    return out;
}

/// 200 with commands, or 204 when there are none until the wait is over.
void AgentRoutes::commands(const Request& request, const Reply& reply) {
    const auto from = sender(request, "commands", true, true);
    if (const auto* refused = std::get_if<Response>(&from)) return reply.reply(*refused);
    const auto wait = query_number(request, "wait", 0, kLongestWaitSeconds, kUsualWaitSeconds);
    if (!wait)
        return reply.reply(refuse(422, "Wrong parameter", "'wait' must be 0 to 60", "bad-query"));
    const auto id = context_.commands.poll(
        std::get<Identity>(from),
        std::chrono::seconds(*wait),
        context_.now().now,
        [reply](const std::vector<wire::contract::Command>& commands) {
            Response out;
            out.status = commands.empty() ? 204 : 200;
            if (!commands.empty()) out.body = wire::contract::encode_commands(commands);
            reply.reply(std::move(out));
        }
    );
    reply.on_gone([this, id] { context_.commands.leave(id); });
}

}  // namespace

void add_agent_routes(base::http::Router& router, Context& context) {
    const auto routes = std::make_shared<AgentRoutes>(context);
    router.add("POST", "/agent/v1/report", [routes](const Request& request, const auto&) {
        return routes->report(request);
    });
    router.add("POST", "/agent/v1/batch", [routes](const Request& request, const auto&) {
        return routes->batch(request);
    });
    router.add("POST", "/agent/v1/results", [routes](const Request& request, const auto&) {
        return routes->results(request);
    });
    router.add_later(
        "GET",
        "/agent/v1/commands",
        [routes](const Request& request, const PathParameters&, const Reply& reply) {
            routes->commands(request, reply);
        }
    );
}

}  // namespace twinsite::switchover::api
