// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/api.hpp"

#include <utility>

#include "base/http/event_stream.hpp"
#include "base/http/router.hpp"
#include "base/http/static_files.hpp"
#include "switchover/api/agent_routes.hpp"
#include "switchover/api/context.hpp"
#include "switchover/api/event_hub.hpp"
#include "switchover/api/logins.hpp"
#include "switchover/api/operator_routes.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::switchover::api {
namespace {

using base::http::PathParameters;
using base::http::Request;
using base::http::Response;

/// What the console's pages may do in a browser: nothing from elsewhere, nothing inline, in
/// nobody's frame. StaticFiles adds what any file needs.
base::http::Headers page_headers() {
    return {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), usb=()"},
    };
}

}  // namespace

class Api::State {
public:
    State(
        boost::asio::io_context& io,
        ApiSettings settings,
        Backend& backend,
        fleet::Fleet& fleet,
        fleet::Commands& commands
    )
        : context_{std::move(settings), backend, fleet, commands, AuditTrail(backend)},
          logins_(io, context_),
          hub_(context_) {}

    void add_machine_routes(base::http::Router& router) {
        const Authenticate operators = [this](const Request& request) {
            return authenticate_operator(request);
        };
        add_agent_routes(router, context_);
        add_operator_routes(router, context_, operators);
        add_state_routes(router, context_, operators);
        add_events(router, operators);
    }

    base::Result<void> add_console_routes(base::http::Router& router) {
        const Authenticate people = [this](const Request& request) {
            return logins_.authenticate(request);
        };
        logins_.add_routes(router);
        add_operator_routes(router, context_, people);
        add_state_routes(router, context_, [](const Request& request) {
            Caller anybody;
            anybody.from = request.peer_address;
            return anybody;
        });
        add_events(router, people);
        if (context_.settings.assets.empty()) return {};
        const auto files = base::http::StaticFiles::read(context_.settings.assets);
        if (!files) return files.error();
        files->add_routes(router, page_headers());
        return {};
    }

    void tick() {
        logins_.tick();
        hub_.tick([this](const std::string& session) { return logins_.holds(session); });
    }
    EventHub& hub() { return hub_; }

private:
    std::variant<Caller, Response> authenticate_operator(const Request& request) {
        const auto identity = wire::contract::parse_identity(request.peer_identity);
        if (identity && identity->role == "operator") {
            // The certificate may be one in a browser, which shows it for any page.
            if (is_unsafe(request))
                if (auto foreign = refuse_foreign_page(request)) {
                    context_.audit.write_refusal_sometimes(
                        {request.peer_identity, request.peer_address},
                        "api",
                        request.method + " " + request.path,
                        "another site's page",
                        context_.now().now
                    );
                    return std::move(*foreign);
                }
            Caller out;
            out.who = request.peer_identity;
            out.from = request.peer_address;
            out.role = Role::operator_;
            return out;
        }
        context_.audit.write_refusal_sometimes(
            {request.peer_identity, request.peer_address},
            "api",
            request.method + " " + request.path,
            "role",
            context_.now().now
        );
        return refuse(403, "Forbidden", "only an operator's certificate may do this", "role");
    }

    void add_events(base::http::Router& router, const Authenticate& authenticate) {
        router.add_stream(
            "GET",
            "/api/v1/events",
            [this, authenticate](
                const Request& request,
                const PathParameters&,
                std::shared_ptr<base::http::EventStream> stream
            ) -> std::optional<Response> {
                auto caller = authenticate(request);
                if (auto* refused = std::get_if<Response>(&caller)) return std::move(*refused);
                return hub_.add(std::get<Caller>(caller), std::move(stream));
            }
        );
    }

    Context context_;
    Logins logins_;
    EventHub hub_;
};

Api::Api(
    boost::asio::io_context& io,
    ApiSettings settings,
    Backend& backend,
    fleet::Fleet& fleet,
    fleet::Commands& commands
)
    : state_(std::make_unique<State>(io, std::move(settings), backend, fleet, commands)) {}

Api::~Api() = default;

void Api::add_machine_routes(base::http::Router& router) {
    state_->add_machine_routes(router);
}

base::Result<void> Api::add_console_routes(base::http::Router& router) {
    return state_->add_console_routes(router);
}

void Api::tick() {
    state_->tick();
}

void Api::run_changed(const RunView& run) {
    state_->hub().run_changed(run);
}

void Api::stop() {
    state_->hub().stop();
}

}  // namespace twinsite::switchover::api
