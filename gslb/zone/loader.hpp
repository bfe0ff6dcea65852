// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::zone {

/// Something to tell the operator about a master file.
struct Finding {
    enum class Severity : std::uint8_t { error, warning };
    std::string file;
    int line = 0;  ///< where the record begins, from 1; 0 = the file as a whole
    std::string text;
    Severity severity = Severity::error;
};
/// "east.zone:12: text", "east.zone: text", with "warning: " before the text of a warning.
std::string to_string(const Finding& finding);

/// At most this many errors are listed, and as many warnings.
inline constexpr std::size_t kMaxFindings = 50;

struct Loaded {
    std::optional<ZoneData> zone;   ///< empty exactly when an error was found
    std::vector<Finding> findings;  ///< by line
};

/// Reads a master file (RFC 1035 section 5, RFC 2308 section 4 for $TTL, RFC 3597 for unknown
/// types) record by record and checks it whole: a zone that comes out can be served. Rdata is
/// parsed by ldns; what ldns lets through silently is checked here (docs/decisions/0007).
/// Refused with an explanation: $INCLUDE, $GENERATE, classes other than IN, and records of DNSSEC.
Loaded load_master_file(const std::string& path, const wire::dns::Name& origin);

/// The same from a stream; `file` is the name shown in findings.
Loaded load_master(std::istream& in, const std::string& file, const wire::dns::Name& origin);

}  // namespace twinsite::gslb::zone
