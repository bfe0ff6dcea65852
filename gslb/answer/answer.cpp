// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/answer.hpp"

#include "gslb/answer/chaos.hpp"
#include "gslb/answer/draft.hpp"
#include "gslb/answer/resolve.hpp"
#include "wire/dns/query.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using dns::Query;
using dns::QueryForm;
using dns::Rcode;

std::size_t answer_bad_form(
    const Context& context, const Query& query, QueryForm form, std::span<std::uint8_t> reply
) {
    switch (form) {
        case QueryForm::drop:
            return context.counters.dropped.add(), 0;
        case QueryForm::bad_opcode:
            return header_only(context, query, Rcode::not_imp, reply.data());
        case QueryForm::bad_header:
            return header_only(context, query, Rcode::form_err, reply.data());
        default:
            break;
    }
    Query bare = query;  // its options are malformed or of another version
    bare.edns.subnet = {};
    bare.edns.cookie = {};
    bare.edns.nsid = bare.edns.tcp_keepalive = false;
    Draft draft = start(context, bare, reply);
    if (form == QueryForm::bad_version)
        return finish(context, draft, static_cast<std::uint16_t>(Rcode::bad_vers));
    set_rcode(draft, Rcode::form_err);
    return finish(context, draft);
}

/// Transfers, NOTIFY and signed queries, as far as the common path sees them.
bool may_be_for_transfers(const Query& query, QueryForm form) {
    constexpr std::uint8_t kNotify = 4;
    if (form == QueryForm::bad_opcode) return query.opcode() == kNotify;
    if (form != QueryForm::good) return false;
    return query.extra_records || query.type == dns::type::axfr || query.type == dns::type::ixfr;
}

}  // namespace

std::size_t answer(
    const Context& context,
    const Snapshot& snapshot,
    std::span<const std::uint8_t> packet,
    std::span<std::uint8_t> reply
) noexcept {
    if (context.outcome != nullptr) context.outcome->kind = Outcome::Kind::none;
    Query query;
    const QueryForm form = dns::decode_query(packet, query);
    if (context.hand_over && may_be_for_transfers(query, form)) [[unlikely]] {
        *context.outcome = {};
        context.outcome->handed_over = true;
        if (form == QueryForm::good)
            context.outcome->question_bytes = static_cast<std::uint16_t>(query.question_bytes());
        return 0;
    }
    (context.transport == Transport::udp ? context.counters.udp : context.counters.tcp).add();
    if (reply.size() < kMinReplyBytes) return context.counters.dropped.add(), 0;
    if (form != QueryForm::good) [[unlikely]]
        return answer_bad_form(context, query, form, reply);
    if (query.edns.present) context.counters.edns.add();
    if (!query.edns.subnet.data.empty()) context.counters.client_subnet.add();
    Draft draft = start(context, query, reply);
    if (query.klass == dns::kClassChaos) [[unlikely]]
        answer_chaos(context, draft);
    else
        resolve(context, snapshot, draft);
    return finish(context, draft);
}

}  // namespace twinsite::gslb::answer
