// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/transfer/difference.hpp"
#include "gslb/transfer/error.hpp"
#include "gslb/transfer/records.hpp"

namespace twinsite::gslb::transfer {

/// Puts the messages of an incoming AXFR (RFC 5936) or IXFR (RFC 1995) together. Pure.
class TransferReader {
public:
    struct Question {
        wire::dns::Name origin;
        std::uint16_t id = 0;
        std::optional<std::uint32_t> have;  ///< IXFR was asked for from this serial; none: AXFR
    };
    enum class Progress : std::uint8_t { more, done };
    enum class Kind : std::uint8_t {
        up_to_date,   ///< the primary has nothing newer
        whole,        ///< records()
        differences,  ///< differences()
    };

    explicit TransferReader(Question question) : question_(std::move(question)) {}

    /// The next message, its TSIG already checked. After done or an error nothing more is taken.
    /// Errors: malformed, refused (see rcode()), wrong_zone, too_large.
    base::Result<Progress> take(std::span<const std::uint8_t> message);

    Kind kind() const { return kind_; }
    std::uint32_t serial() const { return serial_; }  ///< that the primary has
    std::uint16_t rcode() const { return rcode_; }
    /// The zone's records, SOA first and once.
    std::vector<ZoneRecord>& records() { return records_; }
    std::vector<Difference>& differences() { return differences_; }

private:
    enum class State : std::uint8_t { begin, first_soa, whole, removing, adding, done };
    base::Result<void> take_record(ZoneRecord record);
    base::Result<void> take_second(ZoneRecord record);
    base::Result<void> take_soa(ZoneRecord record);
    void begin_difference(ZoneRecord soa);

    const Question question_;
    State state_ = State::begin;
    Kind kind_ = Kind::up_to_date;
    std::uint32_t serial_ = 0;
    std::uint16_t rcode_ = 0;
    std::size_t bytes_ = 0;
    std::vector<ZoneRecord> records_;
    std::vector<Difference> differences_;
};

/// The records of a zone, grouped and checked as a master file is. On failure `why` has the first
/// findings. Errors: bad_zone.
base::Result<zone::ZoneData> assemble_zone(
    const wire::dns::Name& origin, std::vector<ZoneRecord> records, std::string& why
);

/// Rdata at `reader`, `size` bytes, with its names uncompressed: the types that may be compressed
/// (RFC 1035, and those RFC 3597 section 4 wants understood). Nullopt: malformed.
std::optional<std::vector<std::uint8_t>> read_rdata(
    std::span<const std::uint8_t> message, std::size_t offset, std::size_t size, std::uint16_t type
);

}  // namespace twinsite::gslb::transfer
