// SPDX-License-Identifier: Apache-2.0
#include "probe/name_server_reply.hpp"

#include <algorithm>
#include <array>

#include "base/text/ip.hpp"
#include "base/text/text.hpp"
#include "wire/dns/edns.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/reader.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::probe {

namespace dns = wire::dns;
using base::text::IpAddress;

namespace {

constexpr std::uint16_t kPayload = 1232;

struct Header {
    std::uint16_t id;
    std::uint16_t flags;
    std::uint16_t questions;
    std::uint16_t answers;
};

Header read_header(dns::Reader& reader) {
    Header out{reader.u16(), reader.u16(), reader.u16(), reader.u16()};
    reader.u32();  // authority and additional
    return out;
}

bool same_question(dns::Reader& reader, std::span<const std::uint8_t> query, const DnsAsk& ask) {
    dns::Reader own(query, dns::kHeaderBytes);
    const auto name = reader.name();
    const auto type = reader.u16();
    const auto klass = reader.u16();
    return !reader.failed() && name == own.name() && type == ask.type && klass == dns::kClassIn;
}

std::string text_of_strings(std::span<const std::uint8_t> rdata) {
    std::string out;
    for (std::size_t at = 0; at < rdata.size();) {
        const auto size = std::min<std::size_t>(rdata[at], rdata.size() - at - 1);
        out.append(reinterpret_cast<const char*>(rdata.data()) + at + 1, size);
        at += size + 1;
    }
    return out;
}

IpAddress address_of(base::text::Family family, std::span<const std::uint8_t> rdata) {
    IpAddress out{family, {}};
    std::copy(rdata.begin(), rdata.end(), out.bytes.begin());
    return out;
}

/// The record as an operator would write it; "" when it is malformed.
std::string text_of(const dns::Record& record, std::span<const std::uint8_t> message) {
    switch (record.type) {
        case dns::type::a:
            if (record.rdata.size() != 4) return {};
            return base::text::to_string(address_of(base::text::Family::v4, record.rdata));
        case dns::type::aaaa:
            if (record.rdata.size() != 16) return {};
            return base::text::to_string(address_of(base::text::Family::v6, record.rdata));
        case dns::type::ns:
        case dns::type::cname:
        case dns::type::ptr: {
            dns::Reader reader(message, record.rdata_offset);
            const auto name = reader.name();
            return reader.failed() ? std::string() : name.to_string();
        }
        case dns::type::txt:
            return text_of_strings(record.rdata);
        default:
            return base::text::to_hex(record.rdata.data(), record.rdata.size());
    }
}

/// Addresses and names in any of their spellings.
bool means(const std::string& wanted, const std::string& found, std::uint16_t type) {
    if (type == dns::type::a || type == dns::type::aaaa) {
        const auto address = base::text::parse_ip(wanted);
        return address && address == base::text::parse_ip(found);
    }
    if (type == dns::type::ns || type == dns::type::cname || type == dns::type::ptr) {
        const auto name = dns::parse_name(wanted);
        const auto other = dns::parse_name(found);
        return name && other && *name == *other;
    }
    return wanted == found;
}

bool expected(const std::vector<std::string>& found, const DnsAsk& ask) {
    for (const auto& wanted : ask.expect_answer)
        for (const auto& one : found)
            if (means(wanted, one, ask.type)) return true;
    return ask.expect_answer.empty();
}

}  // namespace

base::Result<std::vector<std::uint8_t>> make_dns_query(const DnsAsk& ask, std::uint16_t id) {
    const auto name = dns::parse_name(ask.name);
    if (!name) return name.error();
    std::array<std::uint8_t, dns::kHeaderBytes + dns::kMaxNameBytes + 4 + dns::kOptBytes> buffer{};
    dns::Writer writer(buffer);
    writer.u16(id);
    writer.u16(ask.recursion ? dns::flag::rd : std::uint16_t{0});
    writer.u16(1);  // question
    writer.u32(0);
    writer.u16(1);  // additional
    writer.name(*name);
    writer.u16(ask.type);
    writer.u16(dns::kClassIn);
    // OPT (RFC 6891 section 6.1.2): root, type, size, extended code and flags, no options.
    writer.u8(0);
    writer.u16(dns::type::opt);
    writer.u16(kPayload);
    writer.u32(0);
    writer.u16(0);
    return std::vector<std::uint8_t>(
        buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(writer.size())
    );
}

std::optional<DnsReplyVerdict> judge_dns_reply(
    std::span<const std::uint8_t> reply, std::span<const std::uint8_t> query, const DnsAsk& ask
) {
    dns::Reader reader(reply);
    const auto header = read_header(reader);
    if (reader.failed() || query.size() < 2 || (header.flags & dns::flag::qr) == 0)
        return std::nullopt;
    if (header.id != (query[0] << 8 | query[1])) return std::nullopt;
    const auto code = static_cast<std::uint16_t>(header.flags & 0xF);
    DnsReplyVerdict out;
    out.note = dns::rcode_to_string(static_cast<dns::Rcode>(code));
    // A refusal of the form may come without the question (RFC 1035 section 4.1.1).
    if (header.questions != 0 && !same_question(reader, query, ask)) return std::nullopt;
    const auto& good = ask.expect_rcode;
    if (std::find(good.begin(), good.end(), code) == good.end()) {
        out.fault = "response code " + out.note;
        return out;
    }
    std::vector<std::string> found;
    for (unsigned i = 0; i < header.answers; ++i) {
        const auto record = dns::read_record(reader);
        if (reader.failed()) break;
        if (record.type != ask.type) continue;
        found.push_back(text_of(record, reply));
        out.note += " " + base::text::printable(found.back());
    }
    if (reader.failed()) {
        out.fault = "malformed reply";
    } else if (!expected(found, ask)) {
        const bool cut = (header.flags & dns::flag::tc) != 0;
        out.fault = cut ? "the reply was cut before the record expected"
                        : "the answer does not have the record expected";
    }
    return out;
}

}  // namespace twinsite::probe
