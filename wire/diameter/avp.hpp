// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/diameter/bytes.hpp"
#include "wire/diameter/dictionary.hpp"
#include "wire/diameter/error.hpp"

namespace twinsite::wire::diameter {

/// One AVP where it stands in the message. Valid as long as the message is.
struct Avp {
    std::uint32_t code = 0;
    std::uint8_t flags = 0;
    std::uint32_t vendor = 0;             ///< 0 when the V flag is not set
    std::span<const std::uint8_t> data;   ///< without header and padding
    std::span<const std::uint8_t> whole;  ///< header and data, without padding
    std::size_t offset = 0;               ///< of the header, from the start of what is walked

    bool is(std::uint32_t base_code) const { return code == base_code && vendor == 0; }
    std::string_view text() const { return as_text(data); }
    /// nullopt unless the data is exactly 4 bytes.
    std::optional<std::uint32_t> u32() const {
        if (data.size() != 4) return std::nullopt;
        return load_u32(data.data());
    }
    std::optional<std::uint64_t> u64() const {
        if (data.size() != 8) return std::nullopt;
        return load_u64(data.data());
    }
};

/// A malformed AVP.
struct AvpFault {
    Errc what = Errc::bad_avp_length;
    std::size_t offset = 0;
    std::span<const std::uint8_t> bytes;  ///< from the AVP at fault to the end of what is walked
};

/// Walks the AVPs of a message or of a group, without copying. Every step moves forward by at
/// least 8 bytes, so a hostile message cannot hold it. Padding may have any content; missing
/// padding of the last AVP is accepted.
class AvpWalk {
public:
    /// `message` is a whole framed message of at least 20 bytes. Offsets count from its start.
    static AvpWalk of_message(std::span<const std::uint8_t> message) { return {message, 20}; }
    static AvpWalk of_group(std::span<const std::uint8_t> data) { return {data, 0}; }

    /// The next AVP; false at the end or at a fault: then ask `fault()`.
    bool next(Avp& out) {
        const std::size_t left = bytes_.size() - at_;
        if (left == 0 || fault_) return false;
        if (left < 8) return fail();
        const std::uint8_t* const here = bytes_.data() + at_;
        const std::size_t length = load_u24(here + 5);
        const std::uint8_t flags = here[4];
        const std::size_t header = (flags & avp_flag::kVendor) != 0 ? 12 : 8;
        if (length < header || length > left) return fail();
        out.code = load_u32(here);
        out.flags = flags;
        out.vendor = header == 12 ? load_u32(here + 8) : 0;
        out.whole = {here, length};
        out.data = {here + header, length - header};
        out.offset = at_;
        at_ += padded(length) < left ? padded(length) : left;
        return true;
    }

    std::optional<Errc> fault() const { return fault_; }
    /// Offset of the AVP that is at fault.
    std::size_t fault_offset() const { return at_; }
    /// The bytes from the AVP at fault to the end.
    std::span<const std::uint8_t> fault_bytes() const { return bytes_.subspan(at_); }
    /// The three above as one value; only after a fault.
    AvpFault described_fault() const {
        return {fault_.value_or(Errc::bad_avp_length), at_, fault_bytes()};
    }

private:
    AvpWalk(std::span<const std::uint8_t> bytes, std::size_t start) : bytes_(bytes), at_(start) {}
    bool fail() {
        fault_ = Errc::bad_avp_length;
        return false;
    }

    std::span<const std::uint8_t> bytes_;
    std::size_t at_;
    std::optional<Errc> fault_;
};

/// The first AVP of this code without vendor at the top level of `message`. nullopt when there is
/// none before the end or before a fault.
std::optional<Avp> find_avp(std::span<const std::uint8_t> message, std::uint32_t code);

/// The Session-Id, wherever it stands; normally the first AVP, which costs one comparison. An
/// opaque key: it may hold any bytes. nullopt when absent.
std::optional<std::string_view> find_session_id(std::span<const std::uint8_t> message);

/// The fault of the first malformed AVP of `message`, top level only.
std::optional<AvpFault> check_avps(std::span<const std::uint8_t> message);

}  // namespace twinsite::wire::diameter
