// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "probe/ask.hpp"

/// The messages of NameServerProbe, without sockets.
namespace twinsite::probe {

/// The query for `ask`, with EDNS. Errors: those of the name.
base::Result<std::vector<std::uint8_t>> make_dns_query(const DnsAsk& ask, std::uint16_t id);

struct DnsReplyVerdict {
    std::string fault;  ///< Empty: as expected.
    std::string note;   ///< Response code and records of the type, for people.
};
/// nullopt when `reply` is no reply to `query` at all (another identifier or question): wait on.
std::optional<DnsReplyVerdict> judge_dns_reply(
    std::span<const std::uint8_t> reply, std::span<const std::uint8_t> query, const DnsAsk& ask
);

}  // namespace twinsite::probe
