// SPDX-License-Identifier: Apache-2.0
#include "slb/control/gate.hpp"

#include "base/log/log.hpp"
#include "base/text/text.hpp"
#include "wire/contract/access.hpp"

namespace twinsite::slb::control {

using base::http::Handler;
using base::http::PathParameters;
using base::http::Request;
using wire::contract::Access;

const char* to_string(RefusalCause cause) noexcept {
    switch (cause) {
        case RefusalCause::no_identity:
            return "no_identity";
        case RefusalCause::wrong_role:
            return "wrong_role";
        case RefusalCause::malformed:
            return "malformed";
        case RefusalCause::stale_fence:
            break;
    }
    return "stale_fence";
}

void note_refusal(
    RefusalCounts& counts, RefusalCause cause, const Request& request, std::string_view detail
) {
    ++counts.counts[static_cast<std::size_t>(cause)];
    base::log::event(
        base::log::Level::warning,
        "control_refused",
        {{"cause", to_string(cause)},
         {"by", base::text::printable(request.peer_identity)},
         {"method", base::text::printable(request.method)},
         {"path", base::text::printable(request.path)},
         {"detail", std::string(detail)}}
    );
}

Gate open_gate() {
    return [](const std::string&, const std::string&, Handler handler) { return handler; };
}

Gate role_gate(RefusalCounts& counts) {
    return [&counts](std::string method, std::string pattern, Handler handler) -> Handler {
        return [&counts,
                method = std::move(method),
                pattern = std::move(pattern),
                handler =
                    std::move(handler)](const Request& request, const PathParameters& parameters) {
            const auto access =
                wire::contract::control_access(request.peer_identity, method, pattern);
            if (access == Access::allowed) return handler(request, parameters);
            const bool unknown = access == Access::no_identity;
            const auto cause = unknown ? RefusalCause::no_identity : RefusalCause::wrong_role;
            note_refusal(counts, cause, request, "");
            return base::http::problem(
                403,
                "Not allowed",
                unknown ? "your certificate names nobody of this system"
                        : "the role of " + base::text::printable(request.peer_identity) +
                              " may not do this"
            );
        };
    };
}

}  // namespace twinsite::slb::control
