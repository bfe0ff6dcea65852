// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/text/ip.hpp"

namespace twinsite::switchover::execute {

/// A question for IPv4 addresses, with the client subnet when one is given (RFC 7871 section 6).
/// Empty when `name` is no domain name.
std::vector<std::uint8_t> encode_dns_question(
    std::uint16_t id, const std::string& name, const std::optional<base::text::IpPrefix>& client
);

struct DnsAnswer {
    std::string rcode;  ///< "NOERROR", "NXDOMAIN", ...
    std::vector<base::text::IpAddress> addresses;
};

/// Reads the reply to that question. bad_message unless it is a well-formed reply with this id and
/// this question.
base::Result<DnsAnswer> decode_dns_answer(
    std::span<const std::uint8_t> reply, std::uint16_t id, const std::string& name
);

}  // namespace twinsite::switchover::execute
