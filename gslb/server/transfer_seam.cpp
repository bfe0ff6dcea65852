// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/transfer_seam.hpp"

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::server {

namespace {

constexpr std::uint16_t kNotify = 4 << 11;

/// Steps over one record and gives its type.
std::uint16_t skip_record(wire::dns::Reader& reader) {
    reader.skip_name();
    const std::uint16_t type = reader.u16();
    reader.u16();  // class
    reader.u32();  // TTL
    reader.bytes(reader.u16());
    return type;
}

}  // namespace

bool is_for_transfer_seam(
    std::span<const std::uint8_t> message, TransferSeam::Transport transport
) noexcept {
    if (message.size() < wire::dns::kHeaderBytes) return false;
    const std::uint16_t flags = wire::dns::load16(message.data() + 2);
    if ((flags & wire::dns::flag::qr) != 0) return false;
    const std::uint16_t opcode = flags & wire::dns::flag::opcode_mask;
    if (opcode == kNotify) return true;
    if (opcode != 0 || wire::dns::load16(message.data() + 4) != 1) return false;

    wire::dns::Reader reader(message, wire::dns::kHeaderBytes);
    reader.skip_name();
    const std::uint16_t type = reader.u16();
    reader.u16();  // class
    if (reader.failed()) return false;
    if (type == wire::dns::type::ixfr) return true;
    if (type == wire::dns::type::axfr) return transport == TransferSeam::Transport::tcp;

    std::size_t records = 0;
    for (std::size_t at = 6; at < wire::dns::kHeaderBytes; at += 2)
        records += wire::dns::load16(message.data() + at);
    if (wire::dns::load16(message.data() + 10) == 0) return false;
    std::uint16_t last = 0;
    while (records-- > 0 && !reader.failed()) last = skip_record(reader);
    return !reader.failed() && last == wire::dns::type::tsig;
}

}  // namespace twinsite::gslb::server
