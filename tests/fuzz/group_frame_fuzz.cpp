// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stream of the group protocol: refused, or frames whose messages are written and
// read again without a change. Fed in two pieces, so that cuts are tried too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "wire/group/codec.hpp"
#include "wire/group/frame.hpp"

namespace group = twinsite::wire::group;

namespace {

template <class Decode>
void check(std::string_view payload, Decode decode) {
    const auto value = decode(payload);
    if (!value) return;
    const auto written = group::encode(*value);
    const auto again = decode(written);
    // Escapes may make it longer than allowed; nothing else may keep it from being read.
    if (!again) {
        BASE_CHECK(written.size() > group::kMaxPayloadBytes);
        return;
    }
    BASE_CHECK(group::encode(*again) == written);
}

void check_all(std::string_view payload) {
    check(payload, group::decode_hello);
    check(payload, group::decode_heartbeat);
    check(payload, group::decode_digest);
    check(payload, group::decode_pull);
    check(payload, group::decode_overrides);
    check(payload, group::decode_observations);
    check(payload, group::decode_loads);
    check(payload, group::decode_secrets);
    check(payload, group::decode_fences);
    check(payload, group::decode_intent_header);
    check(payload, group::decode_intent_part);
    check(payload, group::decode_decisions);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    group::FrameReader reader;
    for (const auto part : {text.substr(0, size / 2), text.substr(size / 2)}) {
        reader.feed(part);
        for (;;) {
            const auto frame = reader.next();
            if (!frame || !*frame) break;
            check_all((*frame)->payload);
        }
    }
    check_all(text);
    return 0;
}
