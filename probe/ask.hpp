// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What the kinds of probes can be asked, as values without sockets: for configurations, and to
/// tell equal questions. Whom they ask (address, port, own address) stands elsewhere.
namespace twinsite::probe {

/// A TCP connection can be opened.
struct TcpAsk {
    auto operator<=>(const TcpAsk&) const = default;
};

/// How a TLS server is to prove itself. The certificate must be valid now in any case.
struct TlsAsk {
    std::string server_name = {};  ///< Sent as SNI, must be in the certificate; empty: the address.
    std::string ca = {};           ///< PEM file; empty: the authorities of the system.
    bool verify = true;            ///< false: any issuer and any name will do.
    std::uint32_t minimum_days = 0;  ///< Whole days that the certificate must still last; 0..3650.

    auto operator<=>(const TlsAsk&) const = default;
};

/// GET is answered with one of the statuses and, if set, with the text in its beginning.
struct HttpAsk {
    std::string path = "/";
    std::string host = {};  ///< Host header; empty: from the target.
    std::vector<unsigned> expect_status = {200};
    std::string expect_body = {};     ///< Empty: any.
    std::uint32_t body_bytes = 5120;  ///< Where the text is looked for; 1..1048576.
    std::optional<TlsAsk> tls = {};   ///< https

    auto operator<=>(const HttpAsk&) const = default;
};

/// A name server answers one question over UDP as expected.
struct DnsAsk {
    std::string name = {};  ///< "example.net"
    std::uint16_t type = 1;
    std::vector<std::uint16_t> expect_rcode = {0};
    /// Records (addresses or names as text) of which one must be in the answer; empty: any answer,
    /// even none.
    std::vector<std::string> expect_answer = {};
    bool recursion = false;  ///< RD, for resolvers.

    auto operator<=>(const DnsAsk&) const = default;
};

/// CER is answered by CEA, DWR by DWA, both with one of the Result-Codes (RFC 6733).
struct DiameterAsk {
    std::string origin_host = {};
    std::string origin_realm = {};
    std::vector<std::uint32_t> applications = {4};  ///< Auth-Application-Id; 4: credit control.
    std::vector<std::uint32_t> expect_result = {2001};

    auto operator<=>(const DiameterAsk&) const = default;
};

/// Status-Server is answered (RFC 5997) by somebody who knows the secret.
struct RadiusAsk {
    std::string secret_file = {};  ///< Its text without the final end of line.
    /// Answers must carry a Message-Authenticator; without this one that is there must be right.
    bool demand_authenticator = false;

    auto operator<=>(const RadiusAsk&) const = default;
};

/// An ICMP echo is answered.
struct IcmpAsk {
    auto operator<=>(const IcmpAsk&) const = default;
};

/// A program of the operator ends with status 0.
struct ExternalAsk {
    std::vector<std::string> command = {};  ///< Absolute path and arguments; no shell.

    auto operator<=>(const ExternalAsk&) const = default;
};

/// Nobody is asked: somebody tells us.
struct PushAsk {
    std::string name = {};  ///< Of the check; tells two states of one address apart.

    auto operator<=>(const PushAsk&) const = default;
};

using Ask = std::
    variant<TcpAsk, TlsAsk, HttpAsk, DnsAsk, DiameterAsk, RadiusAsk, IcmpAsk, ExternalAsk, PushAsk>;

/// "tcp", "tls", "http", "https", "dns", "diameter", "radius", "icmp", "external", "push".
const char* kind_of(const Ask& ask);
/// Whether a port is part of the question.
bool has_port(const Ask& ask);
/// The rest of the question in one line, different for different questions of a kind; may be empty.
std::string details_of(const Ask& ask);

}  // namespace twinsite::probe
