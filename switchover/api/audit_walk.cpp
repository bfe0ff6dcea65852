// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/audit_walk.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/object.hpp>

#include "switchover/api/context.hpp"

namespace twinsite::switchover::api {

AuditWalk::AuditWalk(boost::asio::io_context& io, Backend& backend, base::http::Reply reply)
    : io_(io), backend_(backend), reply_(std::move(reply)) {}

void AuditWalk::go_on() {
    if (!reply_.waiting()) return;
    const auto lines = backend_.audit_entries(chain_.taken(), kSlice);
    if (!lines) return reply_.reply(not_available(lines.error()));
    for (const auto& line : *lines) chain_.take(line);
    if (!lines->empty()) {
        boost::asio::post(io_, [self = shared_from_this()] { self->go_on(); });
        return;
    }
    const auto last = backend_.audit_last();
    if (!last) return reply_.reply(not_available(last.error()));
    const auto checked = chain_.end(*last);
    boost::json::object out{
        {"ok", !checked.first_bad}, {"entries", checked.entries}, {"first_bad", nullptr}
    };
    if (checked.first_bad) out["first_bad"] = *checked.first_bad;
    reply_.reply(json_answer(out));
}

}  // namespace twinsite::switchover::api
