// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// Type names as ldns knows them, and TYPEn; 0 for anything else.
std::uint16_t parse_rr_type(std::string_view word);
/// "A", "HTTPS", "TYPE65400".
std::string rr_type_name(std::uint16_t type);

/// Turns the words of rdata into wire form with ldns, and refuses what ldns lets through silently:
/// numbers out of range, rdata too long, malformed rdata in RFC 3597 form, repeated SvcParams.
class RdataParser {
public:
    /// Relative names end in `origin`.
    explicit RdataParser(const wire::dns::Name& origin);
    ~RdataParser();
    RdataParser(const RdataParser&) = delete;
    RdataParser& operator=(const RdataParser&) = delete;

    /// Names uncompressed. On failure `problem` says why and the result is empty.
    std::vector<std::uint8_t> parse(
        std::uint16_t type, std::span<const std::string> words, std::string& problem
    );
    void set_origin(const wire::dns::Name& origin);

private:
    struct Ldns;
    std::unique_ptr<Ldns> ldns_;
    std::string line_;
};

}  // namespace twinsite::gslb::zone
