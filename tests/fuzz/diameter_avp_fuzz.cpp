// SPDX-License-Identifier: Apache-2.0
// Any framed message through every reader; what we build from it must itself be well formed.
#include <cstdint>
#include <vector>

#include "base/error/check.hpp"
#include "wire/diameter/credit_control.hpp"

using namespace twinsite::wire::diameter;

namespace {

using Bytes = std::vector<std::uint8_t>;

const Identity& self() {
    static const Identity identity = [] {
        Identity out;
        out.host = "slb.x";
        out.realm = "x";
        return out;
    }();
    return identity;
}

void check_built(const Bytes& message) {
    BASE_CHECK(message.size() >= kHeaderBytes);
    BASE_CHECK(HeaderView(message).length() == message.size());
    BASE_CHECK(!check_avps(message));
}

void walk(const Bytes& message) {
    auto all = AvpWalk::of_message(message);
    std::size_t steps = 0;
    for (Avp avp; all.next(avp); ++steps) {
        BASE_CHECK(avp.offset + avp.whole.size() <= message.size());
        BASE_CHECK(avp.whole.size() - avp.data.size() == ((avp.flags & 0x80) != 0 ? 12 : 8));
    }
    BASE_CHECK(steps <= message.size() / 8);
    BASE_CHECK(all.fault().has_value() == check_avps(message).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < kHeaderBytes || size > kDefaultMaxMessageBytes) return 0;
    Bytes message(data, data + size / 4 * 4);
    message[0] = 1;
    store_u24(message.data() + 1, static_cast<std::uint32_t>(message.size()));
    walk(message);
    Bytes answer;
    if (const auto fault = check_avps(message))
        build_error_answer(answer, self(), message, {5014, {}, failed_avp_for(*fault)});
    else
        build_error_answer(answer, self(), message, result::kTooBusy, "busy");
    check_built(answer);

    Capabilities theirs;
    Bytes cea;
    const auto defect = read_capabilities(message, theirs);
    BASE_CHECK(theirs.auth_applications.size() <= Capabilities::kMaxApplications);
    build_cea(
        cea,
        self(),
        HeaderView(message),
        defect ? defect->result_code : 2001U,
        defect ? &*defect : nullptr
    );
    check_built(cea);

    CreditControlRequest request;
    if (!read_ccr(message, request)) {
        Bytes cca;
        build_cca(cca, self(), message, request, {});
        check_built(cca);
        CreditControlAnswer read;
        BASE_CHECK(read_cca(cca, read));
        BASE_CHECK(read.session == request.session);
    }
    CreditControlAnswer read;
    read_cca(message, read);
    return 0;
}
