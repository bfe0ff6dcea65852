// SPDX-License-Identifier: Apache-2.0
// Any bytes as the messages between agents, monitors and servers, and as an identity: refused, or a
// value that is written and read again without a change.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/identity.hpp"
#include "wire/contract/report.hpp"

namespace contract = twinsite::wire::contract;

namespace {

/// `decode` then `encode` gives a text that is a fixed point.
template <class Decode, class Encode>
void check(std::string_view text, Decode decode, Encode encode) {
    const auto value = decode(text);
    if (!value) return;
    const auto written = encode(*value);
    const auto again = decode(written);
    // Escapes may make it longer than allowed; nothing else may keep it from being read.
    if (!again) {
        BASE_CHECK(written.size() > contract::kMaxBodyBytes);
        return;
    }
    BASE_CHECK(encode(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    check(text, contract::decode_report, contract::encode_report);
    check(text, contract::decode_batch, contract::encode_batch);
    check(text, contract::decode_ack, contract::encode_ack);
    check(text, contract::decode_commands, contract::encode_commands);
    check(text, contract::decode_results, contract::encode_results);
    check(text, contract::decode_result, contract::encode_result);
    if (const auto identity = contract::parse_identity(text))
        BASE_CHECK(contract::to_uri(*identity) == text);
    if (const auto agent = contract::agent_of(text))
        BASE_CHECK(contract::host_id(agent->site, agent->name) == text);
    return 0;
}
