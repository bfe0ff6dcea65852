// SPDX-License-Identifier: Apache-2.0
// Any bytes as a RADIUS reply: refused, or a packet whose parts lie in it. Nobody who does not know
// the secret is believed.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/check.hpp"
#include "probe/radius.hpp"
#include "wire/radius/packet.hpp"

namespace radius = twinsite::wire::radius;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> datagram(data, size);
    const auto packet = radius::decode(datagram);
    if (packet) {
        BASE_CHECK(packet->bytes.size() >= radius::kHeaderBytes && packet->bytes.size() <= size);
        BASE_CHECK(packet->authenticator().size() == radius::kDigestBytes);
        if (packet->authenticator_at)
            BASE_CHECK(*packet->authenticator_at + radius::kDigestBytes <= packet->bytes.size());
    }
    const radius::Authenticator random{1, 2, 3};
    const auto request = twinsite::probe::make_status_request(7, random, "secret of the fuzzer");
    const auto fault = twinsite::probe::status_reply_fault(
        datagram, request, "secret of the fuzzer", (size & 1) != 0
    );
    BASE_CHECK(!fault.empty());
    return 0;
}
