// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/answer_template.hpp"

#include <cstring>

namespace twinsite::tools::blade {

using namespace wire::diameter;

AnswerTemplate::AnswerTemplate(const Identity& self, std::uint32_t result_code)
    : result_code_(result_code),
      plain_(encode(self, result_code, false)),
      with_units_(encode(self, result_code, true)) {}

AnswerTemplate::Tail AnswerTemplate::encode(
    const Identity& self, std::uint32_t result_code, bool with_units
) {
    CreditControlRequest request;
    request.type = CcRequestType::initial;
    request.rating_group = 0;
    request.asks_for_units = with_units;
    std::vector<std::uint8_t> asked(kHeaderBytes);
    encode_header(
        {flag::kRequest | flag::kProxiable, command::kCreditControl, application::kCreditControl},
        kHeaderBytes,
        asked.data()
    );
    CcaFields fields;
    fields.result_code = result_code;
    std::vector<std::uint8_t> answer;
    build_cca(answer, self, asked, request, fields);

    const auto offset_of = [&answer](const Avp& avp) {
        return static_cast<std::size_t>(avp.data.data() - answer.data());
    };
    Tail out;
    std::size_t start = 0;
    auto walk = AvpWalk::of_message(answer);
    for (Avp avp; walk.next(avp);) {
        if (avp.is(avp::kSessionId)) start = offset_of(avp);  // empty: its end is there too
        if (avp.is(avp::kCcRequestType)) out.type = offset_of(avp) - start;
        if (avp.is(avp::kCcRequestNumber)) out.number = offset_of(avp) - start;
        if (!avp.is(avp::kMultipleServicesCreditControl)) continue;
        auto group = AvpWalk::of_group(avp.data);
        for (Avp inner; group.next(inner);)
            if (inner.is(avp::kRatingGroup)) out.rating_group = offset_of(inner) - start;
    }
    out.bytes.assign(answer.begin() + static_cast<std::ptrdiff_t>(start), answer.end());
    return out;
}

void AnswerTemplate::append(
    HeaderView request, const CreditControlRequest& read, io::OutputBuffer& out
) const {
    const Tail& tail = read.asks_for_units ? with_units_ : plain_;
    const std::size_t session_bytes = 8 + read.session.size();
    const std::size_t length = kHeaderBytes + padded(session_bytes) + tail.bytes.size();
    std::uint8_t* at = out.append(length);
    encode_header(
        {static_cast<std::uint8_t>(request.flags() & flag::kProxiable),
         request.command(),
         request.application(),
         request.hop_by_hop(),
         request.end_to_end()},
        static_cast<std::uint32_t>(length),
        at
    );
    at += kHeaderBytes;
    store_u32(at, avp::kSessionId);
    at[4] = avp_flag::kMandatory;
    store_u24(at + 5, static_cast<std::uint32_t>(session_bytes));
    if (!read.session.empty()) std::memcpy(at + 8, read.session.data(), read.session.size());
    std::memset(at + session_bytes, 0, padded(session_bytes) - session_bytes);
    at += padded(session_bytes);
    std::memcpy(at, tail.bytes.data(), tail.bytes.size());
    store_u32(at + tail.type, static_cast<std::uint32_t>(read.type));
    store_u32(at + tail.number, read.number);
    if (tail.rating_group != 0) store_u32(at + tail.rating_group, read.rating_group.value_or(0));
}

}  // namespace twinsite::tools::blade
