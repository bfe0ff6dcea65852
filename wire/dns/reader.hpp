// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/dns/bytes.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::wire::dns {

/// Reads a message from front to back and never beyond its end. After the first failure every read
/// gives zeros and `failed()` stays true, so that a record can be read first and judged once.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> message, std::size_t offset = 0)
        : message_(message), at_(offset), failed_(offset > message.size()) {}

    bool failed() const { return failed_; }
    std::size_t offset() const { return at_; }
    std::size_t remaining() const { return failed_ ? 0 : message_.size() - at_; }

    std::uint8_t u8() { return take(1) ? message_[at_ - 1] : std::uint8_t{0}; }
    std::uint16_t u16() { return take(2) ? load16(&message_[at_ - 2]) : std::uint16_t{0}; }
    std::uint32_t u32() { return take(4) ? load32(&message_[at_ - 4]) : 0; }
    std::span<const std::uint8_t> bytes(std::size_t count) {
        if (!take(count)) return {};
        return message_.subspan(at_ - count, count);
    }
    /// A name with its compression pointers followed.
    Name name() {
        if (!failed_)
            if (auto out = decode_name(message_, at_)) return *std::move(out);
        failed_ = true;
        return {};
    }
    /// Steps over a name without following its pointer.
    void skip_name();

private:
    bool take(std::size_t count) {
        if (failed_ || count > message_.size() - at_) {
            failed_ = true;
            return false;
        }
        at_ += count;
        return true;
    }

    std::span<const std::uint8_t> message_;
    std::size_t at_;
    bool failed_;
};

/// A resource record as it stands in a message. `rdata` points into the message; names inside may
/// be compressed, `rdata_offset` says where to decode them.
struct Record {
    Name owner;
    std::uint16_t type = 0;
    std::uint16_t klass = 0;
    std::uint32_t ttl = 0;
    std::span<const std::uint8_t> rdata;
    std::size_t rdata_offset = 0;
};

/// The next record; check `reader.failed()` afterwards.
Record read_record(Reader& reader);

}  // namespace twinsite::wire::dns
