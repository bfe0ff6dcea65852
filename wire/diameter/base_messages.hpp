// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ip.hpp"
#include "wire/diameter/avp.hpp"
#include "wire/diameter/dictionary.hpp"
#include "wire/diameter/error.hpp"
#include "wire/diameter/header.hpp"

/// The messages that never leave a link (CER, DWR, DPR and answers), and error answers.
namespace twinsite::wire::diameter {

/// Who we are towards a peer. Constant while the process lives: RFC 6733 section 8.16 lets a peer
/// conclude from a changed Origin-State-Id that we lost our state.
struct Identity {
    std::string host;   ///< Origin-Host
    std::string realm;  ///< Origin-Realm
    std::string product = "Twinsite";
    std::uint32_t vendor = 0;
    std::uint32_t state_id = 1;  ///< Origin-State-Id, larger after each restart that lost state
    std::vector<base::text::IpAddress> addresses;  ///< Host-IP-Address, at least one
    std::vector<std::uint32_t> auth_applications = {application::kRelay};
    std::vector<std::uint32_t> acct_applications;
};

/// What a CER or CEA says about its sender. Host-IP-Address is information only and not kept.
struct Capabilities {
    /// More entries than this in one message are an error: nobody has so many.
    static constexpr std::size_t kMaxApplications = 256;

    std::string host;
    std::string realm;
    std::string product;
    std::optional<std::uint32_t> result_code;  ///< CEA only
    std::optional<std::uint32_t> state_id;
    std::vector<std::uint32_t> auth_applications;  ///< own lists and those inside the VSAIs
    std::vector<std::uint32_t> acct_applications;
};

/// A defect of a received message and what the error answer should say about it.
struct Defect {
    std::uint32_t result_code = 0;
    std::string_view text;                 ///< Error-Message, static storage
    std::vector<std::uint8_t> failed_avp;  ///< content of Failed-AVP; empty: none
};

/// Reads a whole framed CER or CEA. A relay names application 0xffffffff. All lists are searched
/// to their end, also inside Vendor-Specific-Application-Id. Missing Origin-Host or Origin-Realm,
/// bad lengths and too many entries are defects.
std::optional<Defect> read_capabilities(std::span<const std::uint8_t> message, Capabilities& out);

/// True when a relay is among them or some application is in both (authentication and accounting
/// apart). RFC 6733 section 5.3.
bool have_common_application(const Identity& ours, const Capabilities& theirs);

/// The AVP to report for a fault found by AvpWalk: its header with the smallest valid length and
/// zeros for the smallest value of its type (RFC 6733 section 7.1.5, 5014).
std::vector<std::uint8_t> failed_avp_for(const AvpFault& fault);

// Builders append to `out`.
void build_cer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
);
/// `result_code` 3xxx sets the E bit.
void build_cea(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    HeaderView request,
    std::uint32_t result_code,
    const Defect* defect = nullptr
);
void build_dwr(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
);
void build_dwa(std::vector<std::uint8_t>& out, const Identity& self, HeaderView request);
void build_dpr(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    DisconnectCause cause,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end
);
void build_dpa(std::vector<std::uint8_t>& out, const Identity& self, HeaderView request);

/// The answer of RFC 6733 section 7.2 to `request` (20 bytes at least; its AVPs may be damaged):
/// E bit set, Session-Id and Proxy-Info copied when they can be found, Result-Code, Error-Message
/// and Failed-AVP by `defect`.
void build_error_answer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    const Defect& defect
);
/// The same with a Result-Code alone.
void build_error_answer(
    std::vector<std::uint8_t>& out,
    const Identity& self,
    std::span<const std::uint8_t> request,
    std::uint32_t result_code,
    std::string_view text = {}
);

}  // namespace twinsite::wire::diameter
