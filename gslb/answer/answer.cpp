// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/answer.hpp"

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
    Counters& counters = context.counters;
    switch (form) {
        case QueryForm::drop:
            return counters.dropped.add(), 0;
        case QueryForm::bad_opcode:
            return header_only(query, Rcode::not_imp, counters, reply.data());
        case QueryForm::bad_header:
            return header_only(query, Rcode::form_err, counters, reply.data());
        default:
            break;
    }
    Query bare = query;  // its options are malformed or of another version
    bare.edns.subnet = {};
    Draft draft = start(context, bare, reply);
    if (form == QueryForm::bad_version)
        return finish(context, draft, static_cast<std::uint16_t>(Rcode::bad_vers));
    set_rcode(draft, Rcode::form_err);
    return finish(context, draft);
}

}  // namespace

std::size_t answer(
    const Context& context,
    const Snapshot& snapshot,
    std::span<const std::uint8_t> packet,
    std::span<std::uint8_t> reply
) noexcept {
    (context.transport == Transport::udp ? context.counters.udp : context.counters.tcp).add();
    if (reply.size() < kMinReplyBytes) return context.counters.dropped.add(), 0;
    Query query;
    const QueryForm form = dns::decode_query(packet, query);
    if (form != QueryForm::good) [[unlikely]]
        return answer_bad_form(context, query, form, reply);
    if (query.edns.present) context.counters.edns.add();
    if (!query.edns.subnet.data.empty()) context.counters.client_subnet.add();
    Draft draft = start(context, query, reply);
    resolve(context, snapshot, draft);
    return finish(context, draft);
}

}  // namespace twinsite::gslb::answer
