// SPDX-License-Identifier: Apache-2.0
// Any bytes as the reply to the query of a DNS check: no reply at all, or a verdict.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error/check.hpp"
#include "probe/name_server_reply.hpp"

using namespace twinsite::probe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    constexpr std::uint16_t kTypes[] = {1, 2, 5, 12, 16, 28, 33};
    DnsAsk ask;
    ask.name = "ocs.example.net.";
    ask.type = kTypes[data[0] % std::size(kTypes)];
    if ((data[0] & 0x80) != 0) ask.expect_answer = {"192.0.2.1"};
    const auto query = make_dns_query(ask, 0x4142).value();
    // Half of the runs get past identifier and question.
    std::vector<std::uint8_t> reply(data + 1, data + size);
    if ((data[0] & 0x40) != 0 && reply.size() >= 12) {
        reply[0] = 0x41;
        reply[1] = 0x42;
        reply[2] |= 0x80;
        reply[4] = reply[5] = 0;
    }
    const auto verdict = judge_dns_reply(reply, query, ask);
    if (verdict && verdict->fault.empty()) BASE_CHECK(!verdict->note.empty());
    return 0;
}
