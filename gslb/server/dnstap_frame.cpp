// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/dnstap_frame.hpp"

#include <algorithm>
#include <cstring>

namespace twinsite::gslb::server {
namespace {

/// Fields of Dnstap and of Message in dnstap.proto.
enum Field : std::uint32_t {
    kIdentity = 1,
    kVersion = 2,
    kMessage = 14,
    kDnstapType = 15,
    kType = 1,
    kFamily = 2,
    kProtocol = 3,
    kQueryAddress = 4,
    kResponseAddress = 5,
    kQueryPort = 6,
    kResponsePort = 7,
    kQueryTime = 8,
    kQueryTimeNs = 9,
    kQueryMessage = 10,
    kResponseTime = 12,
    kResponseTimeNs = 13,
    kResponseMessage = 14,
};

/// Protocol buffer encoding into a buffer of fixed size.
class Out {
public:
    explicit Out(std::span<std::uint8_t> room) : room_(room) {}
    std::size_t size() const { return failed_ ? 0 : at_; }

    void number(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(value);
    }
    void fixed32(std::uint32_t field, std::uint32_t value) {
        varint(std::uint64_t{field} << 3 | 5);
        std::uint8_t bytes[4];
        std::memcpy(bytes, &value, sizeof bytes);  // little endian, as we are
        raw(bytes, sizeof bytes);
    }
    void bytes(std::uint32_t field, const void* data, std::size_t size) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(size);
        raw(static_cast<const std::uint8_t*>(data), size);
    }
    /// A length of four bytes, to be filled in later.
    std::size_t begin_message(std::uint32_t field) {
        varint(std::uint64_t{field} << 3 | 2);
        const std::size_t place = at_;
        const std::uint8_t blank[4]{};
        raw(blank, sizeof blank);
        return place;
    }
    void end_message(std::size_t place) {
        if (failed_) return;
        std::size_t size = at_ - place - 4;
        for (int i = 0; i < 4; ++i, size >>= 7)
            room_[place + static_cast<std::size_t>(i)] =
                static_cast<std::uint8_t>((size & 0x7f) | (i < 3 ? 0x80 : 0));
    }

private:
    void varint(std::uint64_t value) {
        std::uint8_t bytes[10];
        std::size_t size = 0;
        do {
            bytes[size] = static_cast<std::uint8_t>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
            ++size;
            value >>= 7;
        } while (value != 0);
        raw(bytes, size);
    }
    void raw(const std::uint8_t* data, std::size_t size) {
        if (failed_ || size > room_.size() - at_) {
            failed_ = true;
            return;
        }
        if (size > 0) std::memcpy(room_.data() + at_, data, size);
        at_ += size;
    }
    std::span<std::uint8_t> room_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace

std::size_t encode_dnstap(std::span<std::uint8_t> out, const DnstapMessage& message) {
    Out frame(out);
    const bool query = message.kind == DnstapMessage::Kind::auth_query;
    const auto& client = message.client.address;
    frame.bytes(kIdentity, message.identity.data(), message.identity.size());
    frame.bytes(kVersion, message.version.data(), message.version.size());
    const std::size_t inner = frame.begin_message(kMessage);
    frame.number(kType, static_cast<std::uint64_t>(message.kind));
    frame.number(kFamily, client.family == base::text::Family::v6 ? 2 : 1);
    frame.number(kProtocol, message.transport == answer::Transport::tcp ? 2 : 1);
    frame.bytes(kQueryAddress, client.bytes.data(), client.size_bytes());
    frame.bytes(
        kResponseAddress, message.server.address.bytes.data(), message.server.address.size_bytes()
    );
    frame.number(kQueryPort, message.client.port);
    frame.number(kResponsePort, message.server.port);
    frame.number(query ? kQueryTime : kResponseTime, message.time_s);
    frame.fixed32(query ? kQueryTimeNs : kResponseTimeNs, message.time_ns);
    frame.bytes(
        query ? kQueryMessage : kResponseMessage, message.bytes.data(), message.bytes.size()
    );
    frame.end_message(inner);
    frame.number(kDnstapType, 1);
    return frame.size();
}

}  // namespace twinsite::gslb::server
