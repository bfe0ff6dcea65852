// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/transfer_reader.hpp"

#include <algorithm>

#include "gslb/transfer/serial.hpp"
#include "gslb/zone/rdata_form.hpp"
#include "gslb/zone/zone_checks.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::transfer {

namespace dns = wire::dns;
using base::Error;
using base::Result;
using Bytes = std::span<const std::uint8_t>;

namespace {

/// No zone of ours is near this size; who sends more wants our memory.
constexpr std::size_t kMaxTransferBytes = std::size_t{2} << 30;

/// What stands before the names of compressible rdata, and how many names there are; what follows
/// them has no names.
struct Layout {
    std::size_t before = 0;
    std::size_t strings = 0;
    std::size_t names = 0;
};

Layout layout_of(std::uint16_t type) {
    switch (type) {
        case 3:   // MD
        case 4:   // MF
        case 7:   // MB
        case 8:   // MG
        case 9:   // MR
        case 30:  // NXT
        case dns::type::ns:
        case dns::type::cname:
        case dns::type::ptr:
        case dns::type::dname:
            return {0, 0, 1};
        case 14:  // MINFO
        case 17:  // RP
        case dns::type::soa:
            return {0, 0, 2};
        case 18:  // AFSDB
        case 21:  // RT
        case 36:  // KX
        case dns::type::mx:
            return {2, 0, 1};
        case 26:  // PX
            return {2, 0, 2};
        case 24:  // SIG
            return {18, 0, 1};
        case dns::type::srv:
            return {6, 0, 1};
        case dns::type::naptr:
            return {4, 3, 1};
        default:
            return {};
    }
}

struct Header {
    std::uint16_t id = 0;
    std::uint16_t flags = 0;
    std::uint16_t questions = 0;
    std::uint16_t answers = 0;
};

Header read_header(dns::Reader& reader) {
    Header out{reader.u16(), reader.u16(), reader.u16(), reader.u16()};
    reader.u32();
    return out;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> read_rdata(
    Bytes message, std::size_t offset, std::size_t size, std::uint16_t type
) {
    const Layout layout = layout_of(type);
    dns::Reader reader(message.first(std::min(message.size(), offset + size)), offset);
    std::vector<std::uint8_t> out;
    const auto copy = [&](std::size_t count) {
        const auto bytes = reader.bytes(count);
        out.insert(out.end(), bytes.begin(), bytes.end());
    };
    copy(layout.before);
    for (std::size_t i = 0; i < layout.strings; ++i) {
        out.push_back(reader.u8());
        copy(out.back());
    }
    for (std::size_t i = 0; i < layout.names; ++i) {
        const auto name = reader.name();
        out.insert(out.end(), name.wire().begin(), name.wire().end());
    }
    if (reader.failed() || reader.offset() > offset + size) return std::nullopt;
    copy(offset + size - reader.offset());
    if (reader.failed() || out.size() > 0xffff) return std::nullopt;
    return out;
}

Result<TransferReader::Progress> TransferReader::take(Bytes message) {
    if (state_ == State::done) return Error(Errc::malformed);
    bytes_ += message.size();
    if (bytes_ > kMaxTransferBytes) return Error(Errc::too_large);
    dns::Reader reader(message);
    const Header header = read_header(reader);
    if (reader.failed() || header.id != question_.id || header.questions > 1)
        return Error(Errc::malformed);
    constexpr std::uint16_t kMust = dns::flag::qr;
    if ((header.flags & (dns::flag::qr | dns::flag::opcode_mask | dns::flag::tc)) != kMust)
        return Error(Errc::malformed);
    rcode_ = header.flags & 0xf;
    if (rcode_ != 0) return Error(Errc::refused);
    for (unsigned i = 0; i < header.questions; ++i) {
        reader.skip_name();
        reader.u32();
    }
    if (header.answers == 0) return Error(Errc::malformed);
    for (unsigned i = 0; i < header.answers; ++i) {
        const dns::Record record = dns::read_record(reader);
        if (reader.failed() || record.klass != dns::kClassIn) return Error(Errc::malformed);
        auto rdata = read_rdata(message, record.rdata_offset, record.rdata.size(), record.type);
        if (!rdata || dns::type::is_meta(record.type)) return Error(Errc::malformed);
        const auto taken = take_record({record.owner, record.type, record.ttl, *std::move(rdata)});
        if (!taken) return taken.error();
    }
    // One SOA alone: nothing newer. (With a newer serial it is the slow beginning of a transfer.)
    if (state_ == State::first_soa && question_.have && !is_newer(serial_, *question_.have)) {
        state_ = State::done;
        kind_ = Kind::up_to_date;
    }
    return state_ == State::done ? Progress::done : Progress::more;
}

Result<void> TransferReader::take_record(ZoneRecord record) {
    if (!record.owner.is_at_or_below(question_.origin)) return Error(Errc::wrong_zone);
    if (!zone::rdata_form_problem(record.type, record.rdata).empty()) return Error(Errc::malformed);
    const bool is_soa = record.type == dns::type::soa;
    if (is_soa && record.owner != question_.origin) return Error(Errc::wrong_zone);
    switch (state_) {
        case State::begin:
            if (!is_soa) return Error(Errc::malformed);
            serial_ = read_soa(record.rdata).serial;
            records_.push_back(std::move(record));
            state_ = State::first_soa;
            return {};
        case State::first_soa:
            return take_second(std::move(record));
        case State::done:
            return Error(Errc::malformed);
        default:
            break;
    }
    if (is_soa) return take_soa(std::move(record));
    auto& to = state_ == State::whole      ? records_
               : state_ == State::removing ? differences_.back().removed
                                           : differences_.back().added;
    to.push_back(std::move(record));
    return {};
}

/// The record behind the first SOA tells what kind of answer it is (RFC 1995 section 4).
Result<void> TransferReader::take_second(ZoneRecord record) {
    const bool is_soa = record.type == dns::type::soa;
    const bool older = is_soa && read_soa(record.rdata).serial != serial_;
    if (question_.have && older) {
        if (read_soa(record.rdata).serial != *question_.have) return Error(Errc::not_incremental);
        kind_ = Kind::differences;
        begin_difference(std::move(record));
        return {};
    }
    kind_ = Kind::whole;
    state_ = State::whole;
    if (is_soa) return take_soa(std::move(record));
    records_.push_back(std::move(record));
    return {};
}

void TransferReader::begin_difference(ZoneRecord soa) {
    auto& next = differences_.emplace_back();
    next.from = read_soa(soa.rdata).serial;
    next.removed.push_back(std::move(soa));
    state_ = State::removing;
}

Result<void> TransferReader::take_soa(ZoneRecord record) {
    const std::uint32_t serial = read_soa(record.rdata).serial;
    if (state_ == State::whole) {
        if (serial != serial_) return Error(Errc::malformed);
        state_ = State::done;
        return {};
    }
    auto& current = differences_.back();
    if (state_ == State::removing) {
        current.to = serial;
        current.added.push_back(std::move(record));
        state_ = State::adding;
        return {};
    }
    if (serial != current.to) return Error(Errc::not_incremental);
    if (serial == serial_)
        state_ = State::done;
    else
        begin_difference(std::move(record));
    return {};
}

Result<zone::ZoneData> assemble_zone(
    const dns::Name& origin, std::vector<ZoneRecord> records, std::string& why
) {
    zone::FindingList findings(origin.to_string());
    std::vector<zone::Record> all;
    all.reserve(records.size());
    for (auto& record : records)
        all.push_back({std::move(record.owner), record.type, record.ttl, std::move(record.rdata), 0}
        );
    auto zone = zone::assemble(origin, std::move(all), {}, findings);
    if (findings.error_count() == 0) return zone;
    for (const auto& finding : std::move(findings).take())
        if (finding.severity == zone::Finding::Severity::error && why.size() < 500)
            why += (why.empty() ? "" : "; ") + finding.text;
    return Error(Errc::bad_zone);
}

}  // namespace twinsite::gslb::transfer
