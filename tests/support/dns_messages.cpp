// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dns_messages.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <ldns/ldns.h>

#include "base/text/ip.hpp"
#include "base/text/text.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::tests {
namespace {

namespace dns = wire::dns;

struct FreeRecord {
    void operator()(ldns_rr* record) const { ldns_rr_free(record); }
};
struct FreePacket {
    void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
};

void append16(Bytes& to, unsigned value) {
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value));
}

Bytes rdata_of(const ldns_rr& record) {
    Bytes out;
    for (std::size_t i = 0; i < ldns_rr_rd_count(&record); ++i) {
        const ldns_rdf* const field = ldns_rr_rdf(&record, i);
        const std::uint8_t* const data = ldns_rdf_data(field);
        out.insert(out.end(), data, data + ldns_rdf_size(field));
    }
    return out;
}

void add_record(gslb::zone::ZoneData& zone, const std::string& line) {
    ldns_rr* raw = nullptr;
    const auto status = ldns_rr_new_frm_str(&raw, line.c_str(), 0, nullptr, nullptr);
    const std::unique_ptr<ldns_rr, FreeRecord> record(raw);
    if (status != LDNS_STATUS_OK)
        throw std::invalid_argument(line + ": " + ldns_get_errorstr_by_id(status));
    std::size_t at = 0;
    const ldns_rdf* const owner = ldns_rr_owner(record.get());
    const auto name = dns::decode_name({ldns_rdf_data(owner), ldns_rdf_size(owner)}, at).value();
    const auto type = static_cast<std::uint16_t>(ldns_rr_get_type(record.get()));
    auto set = std::find_if(zone.rrsets.begin(), zone.rrsets.end(), [&](const auto& other) {
        return other.owner == name && other.type == type;
    });
    if (set == zone.rrsets.end()) {
        zone.rrsets.push_back({name, type, ldns_rr_ttl(record.get()), {}});
        set = zone.rrsets.end() - 1;
    }
    set->rdatas.push_back(rdata_of(*record));
}

std::vector<std::string> words_of(const ldns_rr_list* records) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < ldns_rr_list_rr_count(records); ++i) {
        char* text = ldns_rr2str(ldns_rr_list_rr(records, i));
        std::string line(base::text::trim(text));
        LDNS_FREE(text);
        std::replace(line.begin(), line.end(), '\t', ' ');
        out.push_back(base::text::to_lower(line));
    }
    return out;
}

void read_options(Reply& into) {
    dns::Reader reader(into.options);
    while (reader.remaining() > 0) {
        const auto code = reader.u16();
        const auto data = reader.bytes(reader.u16());
        if (reader.failed()) throw std::invalid_argument("broken options in the reply");
        if (code == dns::option::client_subnet) into.scope = data[3];
    }
}

}  // namespace

gslb::zone::ZoneData zone_from_text(std::string_view origin, std::string_view text) {
    gslb::zone::ZoneData out;
    out.origin = dns::parse_name(origin).value();
    for (const auto line : base::text::split(text, '\n')) {
        const auto record = base::text::trim(line);
        if (!record.empty() && record[0] != ';') add_record(out, std::string(record));
    }
    for (const auto& set : out.rrsets)
        if (set.type == dns::type::soa)
            out.serial = dns::load32(set.rdatas[0].data() + set.rdatas[0].size() - 20);
    return out;
}

Bytes subnet_option(std::string_view text) {
    const auto prefix = base::text::parse_prefix(text).value();
    const std::size_t bytes = (prefix.length + 7u) / 8;
    Bytes out = {0, 8};
    append16(out, static_cast<unsigned>(4 + bytes));
    append16(out, prefix.address.family == base::text::Family::v4 ? 1 : 2);
    out.push_back(prefix.length);
    out.push_back(0);
    const auto first = prefix.address.bytes.begin();
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(bytes));
    return out;
}

Bytes make_query(const Question& question) {
    Bytes out;
    append16(out, question.id);
    append16(out, question.flags);
    append16(out, 1);
    append16(out, 0);
    append16(out, 0);
    append16(out, question.udp_payload ? 1 : 0);
    const auto name = dns::parse_name(question.name).value();
    out.insert(out.end(), name.wire().begin(), name.wire().end());
    append16(out, dns::parse_type(question.type).value());
    append16(out, question.klass);
    if (!question.udp_payload) return out;
    out.push_back(0);
    append16(out, dns::type::opt);
    append16(out, *question.udp_payload);
    append16(out, question.version);
    append16(out, question.dnssec_ok ? 0x8000 : 0);
    append16(out, static_cast<unsigned>(question.options.size()));
    out.insert(out.end(), question.options.begin(), question.options.end());
    return out;
}

Reply parse_reply(const Bytes& message) {
    ldns_pkt* raw = nullptr;
    const auto status = ldns_wire2pkt(&raw, message.data(), message.size());
    const std::unique_ptr<ldns_pkt, FreePacket> packet(raw);
    if (status != LDNS_STATUS_OK)
        throw std::invalid_argument(std::string("reply: ") + ldns_get_errorstr_by_id(status));
    Reply out;
    out.size_bytes = message.size();
    out.id = dns::load16(message.data());
    out.flags = dns::load16(message.data() + 2) & 0xfff0;
    out.answer = words_of(ldns_pkt_answer(packet.get()));
    out.authority = words_of(ldns_pkt_authority(packet.get()));
    out.additional = words_of(ldns_pkt_additional(packet.get()));
    unsigned rcode = message[3] & 0xf;
    // ldns keeps only some options, so the tail is read again by hand.
    dns::Reader reader(message, dns::kHeaderBytes);
    if (message[5] == 1) {
        reader.skip_name();
        reader.u32();
        out.question.assign(message.begin() + 12, message.begin() + reader.offset());
    }
    const unsigned records =
        dns::load16(&message[6]) + dns::load16(&message[8]) + dns::load16(&message[10]);
    for (unsigned i = 0; i < records; ++i) {
        const auto record = dns::read_record(reader);
        if (record.type != dns::type::opt) continue;
        out.has_opt = true;
        out.udp_payload = record.klass;
        rcode |= record.ttl >> 24 << 4;
        out.version = static_cast<std::uint8_t>(record.ttl >> 16);
        out.dnssec_ok = (record.ttl & 0x8000) != 0;
        out.options.assign(record.rdata.begin(), record.rdata.end());
    }
    if (reader.failed() || reader.remaining() != 0)
        throw std::invalid_argument("reply: the counts do not fit the records");
    out.rcode = dns::rcode_to_string(static_cast<dns::Rcode>(rcode));
    read_options(out);
    return out;
}

}  // namespace twinsite::tests
