// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/diameter/base_messages.hpp"
#include "wire/diameter/dictionary.hpp"

/// Credit control (RFC 8506): what a charging blade and a load generator need of CCR and CCA.
namespace twinsite::wire::diameter {

enum class CcRequestType : std::uint32_t { initial = 1, update = 2, termination = 3, event = 4 };

/// Fields of a CCR that a blade acts on. Views into the message.
struct CreditControlRequest {
    std::string_view session;
    std::string_view origin_host;
    CcRequestType type = CcRequestType::event;
    std::uint32_t number = 0;
    std::optional<std::uint32_t> rating_group;  ///< of the first MSCC
    bool asks_for_units = false;                ///< some MSCC holds Requested-Service-Unit
    bool has_proxy_info = false;                ///< to be copied into the answer
};
std::optional<Defect> read_ccr(std::span<const std::uint8_t> message, CreditControlRequest& out);

/// Fields of a CCA that a client checks.
struct CreditControlAnswer {
    std::string_view session;
    std::string_view origin_host;
    std::optional<std::uint32_t> result_code;
    std::optional<CcRequestType> type;
    std::optional<std::uint32_t> number;
};
/// Reads what is there; false when an AVP is malformed.
bool read_cca(std::span<const std::uint8_t> message, CreditControlAnswer& out);

/// What to write into a CCR.
struct CcrFields {
    std::string_view session;
    std::string_view origin_host;
    std::string_view origin_realm;
    std::string_view destination_realm;
    std::string_view subscriber;  ///< E.164 digits
    std::string_view service_context = "32251@3gpp.org";
    CcRequestType type = CcRequestType::initial;
    std::uint32_t number = 0;
    std::uint32_t event_timestamp = 0;  ///< seconds since 1900, RFC 6733 section 4.3.1 Time
    std::uint32_t rating_group = 100;
    std::uint64_t octets = 1'048'576;  ///< requested and, but for the first, used
};
/// A CCR of 400 to 520 bytes, as a packet gateway sends it: Subscription-Ids (MSISDN and IMSI),
/// one MSCC with requested and used units, equipment info.
void build_ccr(
    std::vector<std::uint8_t>& out,
    const CcrFields& fields,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end,
    bool retransmitted = false
);

/// The answer to `request`. `grant` adds an MSCC with Granted-Service-Unit for the request's rating
/// group.
struct CcaFields {
    std::uint32_t result_code = result::kSuccess;
    std::uint64_t granted_octets = 1'048'576;
    std::uint32_t validity_s = 3600;
};
void build_cca(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    const CreditControlRequest& read,
    const CcaFields& fields
);

}  // namespace twinsite::wire::diameter
