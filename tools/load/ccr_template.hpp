// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/io/output_buffer.hpp"
#include "wire/diameter/credit_control.hpp"

namespace twinsite::tools::load {

/// The CCRs of one network element, encoded once per type; only ids, session and subscriber digits
/// and the request number are written per message.
class CcrTemplate {
public:
    struct Origin {
        std::string host;
        std::string realm;
        std::string destination_realm;
        std::uint32_t session_high = 0;  ///< middle part of the Session-Ids, RFC 6733 section 8.8
        std::uint32_t event_timestamp = 0;  ///< seconds since 1900
    };
    explicit CcrTemplate(const Origin& origin);

    struct Request {
        wire::diameter::CcRequestType type = wire::diameter::CcRequestType::initial;
        std::uint32_t session = 0;  ///< last part of the Session-Id; gives the subscriber too
        std::uint32_t number = 0;
        std::uint32_t hop_by_hop = 0;
        std::uint32_t end_to_end = 0;
        bool retransmitted = false;
    };
    void append(const Request& request, io::OutputBuffer& out) const;

    /// Whether a Session-Id is the one of this session.
    bool is_session(std::string_view id, std::uint32_t session) const;

private:
    struct Encoded {
        std::vector<std::uint8_t> bytes;
        std::size_t session_digits = 0;  ///< offsets of what is written per message
        std::size_t number = 0;
        std::size_t msisdn_digits = 0;
        std::size_t imsi_digits = 0;
    };
    static Encoded encode(
        const Origin& origin, std::string_view session, wire::diameter::CcRequestType type
    );

    std::string session_prefix_;
    std::array<Encoded, 3> encoded_;  ///< initial, update, termination
};

}  // namespace twinsite::tools::load
