// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/request.hpp"

#include "gslb/transfer/records.hpp"
#include "wire/dns/reader.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::gslb::transfer {

namespace dns = wire::dns;

namespace {

constexpr std::uint16_t kNotifyFlags = 4 << 11 | dns::flag::aa;
constexpr std::size_t kMostBytes = 1500;

/// Header and question; the counts in the header are those of the sections.
void begin(
    dns::Writer& to,
    std::uint16_t id,
    std::uint16_t flags,
    std::uint16_t answers,
    std::uint16_t authorities
) {
    to.u16(id);
    to.u16(flags);
    to.u16(1);
    to.u16(answers);
    to.u16(authorities);
    to.u16(0);
}

void write_question(dns::Writer& to, const dns::Name& name, std::uint16_t type) {
    to.name(name);
    to.u16(type);
    to.u16(dns::kClassIn);
}

void write_soa(dns::Writer& to, const zone::RRset& soa) {
    to.name(soa.owner);
    to.u16(dns::type::soa);
    to.u16(dns::kClassIn);
    to.u32(soa.ttl);
    to.u16(static_cast<std::uint16_t>(soa.rdatas.front().size()));
    to.bytes(soa.rdatas.front());
}

std::vector<std::uint8_t> cut(std::vector<std::uint8_t> room, const dns::Writer& to) {
    room.resize(to.size());
    return room;
}

}  // namespace

std::vector<std::uint8_t> make_question(
    std::uint16_t id, const dns::Name& name, std::uint16_t type
) {
    std::vector<std::uint8_t> room(kMostBytes);
    dns::Writer to(room);
    begin(to, id, 0, 0, 0);
    write_question(to, name, type);
    return cut(std::move(room), to);
}

std::vector<std::uint8_t> make_ixfr(std::uint16_t id, const zone::RRset& soa) {
    std::vector<std::uint8_t> room(kMostBytes);
    dns::Writer to(room);
    begin(to, id, 0, 0, 1);
    write_question(to, soa.owner, dns::type::ixfr);
    write_soa(to, soa);
    return cut(std::move(room), to);
}

std::vector<std::uint8_t> make_notify(std::uint16_t id, const zone::RRset& soa) {
    std::vector<std::uint8_t> room(kMostBytes);
    dns::Writer to(room);
    begin(to, id, kNotifyFlags, 1, 0);
    write_question(to, soa.owner, dns::type::soa);
    write_soa(to, soa);
    return cut(std::move(room), to);
}

std::optional<Request> read_request(std::span<const std::uint8_t> message) {
    dns::Reader reader(message);
    Request out;
    out.id = reader.u16();
    out.flags = reader.u16();
    const std::uint16_t questions = reader.u16();
    const unsigned records = unsigned{reader.u16()} + reader.u16();
    reader.u16();
    if (reader.failed() || questions != 1) return std::nullopt;
    out.name = reader.name();
    out.type = reader.u16();
    out.klass = reader.u16();
    out.question_end = reader.offset();
    for (unsigned i = 0; i < records && !reader.failed(); ++i) {
        const dns::Record record = dns::read_record(reader);
        if (record.type != dns::type::soa || record.owner != out.name || out.serial) continue;
        dns::Reader soa(message, record.rdata_offset);
        soa.name();
        soa.name();
        const std::uint32_t serial = soa.u32();
        if (!soa.failed()) out.serial = serial;
    }
    if (reader.failed()) return std::nullopt;
    return out;
}

std::vector<std::uint8_t> make_reply(
    std::span<const std::uint8_t> message,
    const Request& request,
    std::uint16_t rcode,
    std::uint16_t more
) {
    const auto kept = message.first(request.question_end);
    std::vector<std::uint8_t> out(kept.begin(), kept.end());
    constexpr std::uint16_t kEchoed = dns::flag::opcode_mask | dns::flag::rd;
    const auto flags = (request.flags & kEchoed) | dns::flag::qr | more | rcode;
    dns::store16(out.data() + 2, static_cast<std::uint16_t>(flags));
    dns::store16(out.data() + 4, 1);
    for (const std::size_t count : {6U, 8U, 10U}) dns::store16(out.data() + count, 0);
    return out;
}

}  // namespace twinsite::gslb::transfer
