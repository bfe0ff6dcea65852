// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/query.hpp"

#include "wire/dns/bytes.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::wire::dns {
namespace {

/// Size of the uncompressed name at the start of `bytes`, 0 when there is none. A pointer cannot
/// stand in the first name of a message.
std::size_t question_name_bytes(const std::uint8_t* bytes, std::size_t size) {
    const std::size_t limit = size < kMaxNameBytes ? size : kMaxNameBytes;
    std::size_t at = 0;
    while (at < limit) {
        const std::size_t length = bytes[at];
        if (length == 0) return at + 1;
        if (length > kMaxLabelBytes) return 0;
        at += length + 1;
    }
    return 0;
}

/// The record behind the owner of an OPT at `at` (its type field). False when it is malformed.
bool decode_opt(std::span<const std::uint8_t> packet, std::size_t at, Query& out) {
    if (at + kOptBytes - 1 > packet.size()) return false;
    const std::uint8_t* const fields = packet.data() + at;
    out.edns.present = true;
    out.edns.udp_payload = load16(fields + 2);
    out.edns.version = fields[5];
    out.edns.dnssec_ok = (fields[6] & 0x80) != 0;
    const std::size_t size = load16(fields + 8);
    if (size > packet.size() - at - (kOptBytes - 1)) return false;
    if (size == 0 || out.edns.version != 0) return true;  // options of other versions are unknown
    return !decode_options(packet.subspan(at + kOptBytes - 1, size), out.edns).has_error();
}

/// Any number of records: steps over all but OPT, of which there may be one, in the additional
/// section, owned by the root (RFC 6891 section 6.1.1).
bool decode_records(std::span<const std::uint8_t> packet, std::size_t at, Query& out) {
    const std::size_t before = std::size_t{load16(packet.data() + 6)} + load16(packet.data() + 8);
    const std::size_t total = before + load16(packet.data() + 10);
    Reader reader(packet, at);
    for (std::size_t i = 0; i < total; ++i) {
        const bool root = reader.remaining() > 0 && packet[reader.offset()] == 0;
        reader.skip_name();
        const std::size_t fields = reader.offset();
        const std::uint16_t rr_type = reader.u16();
        reader.u16();  // class
        reader.u32();  // TTL
        const std::uint16_t size = reader.u16();
        if (!reader.failed() && rr_type == type::opt) {
            if (out.edns.present || !root || i < before) return false;
            if (!decode_opt(packet, fields, out)) return false;
        }
        reader.bytes(size);
        if (reader.failed()) return false;
    }
    return true;
}

}  // namespace

QueryForm decode_query(std::span<const std::uint8_t> packet, Query& out) {
    if (packet.size() < kHeaderBytes) return QueryForm::drop;
    const std::uint8_t* const data = packet.data();
    out.packet = data;
    out.flags = load16(data + 2);
    if ((out.flags & (flag::qr | flag::opcode_mask)) != 0)
        return (out.flags & flag::qr) != 0 ? QueryForm::drop : QueryForm::bad_opcode;
    const std::uint64_t counts = load64(data + 4);
    if (counts >> 48 != 1) return QueryForm::bad_header;
    const std::size_t name_bytes =
        question_name_bytes(data + kHeaderBytes, packet.size() - kHeaderBytes);
    const std::size_t end = kHeaderBytes + name_bytes + 4;
    if (name_bytes == 0 || end > packet.size()) return QueryForm::bad_header;
    out.name_bytes = static_cast<std::uint16_t>(name_bytes);
    out.type = load16(data + end - 4);
    out.klass = load16(data + end - 2);

    constexpr std::uint64_t kOnlyQuestion = std::uint64_t{1} << 48;
    if (counts == kOnlyQuestion) return QueryForm::good;
    // One additional record that starts like an OPT is what nearly every resolver sends.
    const bool one_opt = counts == kOnlyQuestion + 1 && end + 3 <= packet.size() &&
                         data[end] == 0 && load16(data + end + 1) == type::opt;
    const bool good = one_opt ? decode_opt(packet, end + 1, out) : decode_records(packet, end, out);
    if (!good) return QueryForm::bad_additional;
    return out.edns.version == 0 ? QueryForm::good : QueryForm::bad_version;
}

}  // namespace twinsite::wire::dns
