// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/dns/bytes.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::wire::dns {

/// Writes into a buffer of fixed size and never beyond its end. After the first write that does not
/// fit nothing is written any more and `failed()` stays true.
class Writer {
public:
    explicit Writer(std::span<std::uint8_t> buffer) : buffer_(buffer) {}

    bool failed() const { return failed_; }
    std::size_t size() const { return at_; }

    void u8(std::uint8_t value) {
        if (take(1)) buffer_[at_ - 1] = value;
    }
    void u16(std::uint16_t value) {
        if (take(2)) store16(&buffer_[at_ - 2], value);
    }
    void u32(std::uint32_t value) {
        if (take(4)) store32(&buffer_[at_ - 4], value);
    }
    void bytes(std::span<const std::uint8_t> value) {
        if (!value.empty() && take(value.size()))
            copy_short(&buffer_[at_ - value.size()], value.data(), value.size());
    }
    void name(const Name& value) { bytes(value.wire()); }
    /// Overwrites two bytes written before.
    void patch16(std::size_t offset, std::uint16_t value) {
        if (offset + 2 <= at_) store16(&buffer_[offset], value);
    }

private:
    bool take(std::size_t count) {
        if (failed_ || count > buffer_.size() - at_) {
            failed_ = true;
            return false;
        }
        at_ += count;
        return true;
    }

    std::span<std::uint8_t> buffer_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace twinsite::wire::dns
