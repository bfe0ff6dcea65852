// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/zone_file.hpp"

#include <memory>

#include "base/crypto/digest.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace dns = wire::dns;
using base::Error;
using base::Result;
using Bytes = std::span<const std::uint8_t>;
using Journal = std::vector<std::shared_ptr<const Difference>>;

constexpr std::string_view kZoneMark = "twinsite zone 1\n";
constexpr std::string_view kJournalMark = "twinsite journal 1\n";
constexpr std::size_t kChecksumBytes = 32;

void put16(std::string& to, std::size_t value) {
    to.push_back(static_cast<char>(value >> 8));
    to.push_back(static_cast<char>(value));
}

void put32(std::string& to, std::uint32_t value) {
    put16(to, value >> 16);
    put16(to, value & 0xffff);
}

void put(std::string& to, Bytes bytes) {
    to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void put_records(std::string& to, const std::vector<ZoneRecord>& records) {
    put32(to, static_cast<std::uint32_t>(records.size()));
    for (const auto& record : records) {
        put(to, record.owner.wire());
        put16(to, record.type);
        put32(to, record.ttl);
        put16(to, record.rdata.size());
        put(to, record.rdata);
    }
}

std::string sealed(std::string bytes) {
    bytes += base::crypto::sha256(bytes);
    return bytes;
}

/// What stands between mark and checksum; nullopt when one of them is wrong.
std::optional<Bytes> opened(std::string_view bytes, std::string_view mark) {
    if (bytes.size() < mark.size() + kChecksumBytes || !bytes.starts_with(mark))
        return std::nullopt;
    const auto body = bytes.substr(0, bytes.size() - kChecksumBytes);
    if (base::crypto::sha256(body) != bytes.substr(body.size())) return std::nullopt;
    return Bytes(reinterpret_cast<const std::uint8_t*>(body.data()), body.size())
        .subspan(mark.size());
}

std::vector<std::uint8_t> take_bytes(dns::Reader& reader) {
    const auto bytes = reader.bytes(reader.u16());
    return {bytes.begin(), bytes.end()};
}

std::vector<ZoneRecord> take_records(dns::Reader& reader) {
    std::vector<ZoneRecord> out;
    for (std::uint32_t left = reader.u32(); left > 0 && !reader.failed(); --left) {
        ZoneRecord record;
        record.owner = reader.name();
        record.type = reader.u16();
        record.ttl = reader.u32();
        record.rdata = take_bytes(reader);
        out.push_back(std::move(record));
    }
    return out;
}

}  // namespace

std::string encode_zone(const zone::ZoneData& zone) {
    std::string out(kZoneMark);
    put(out, zone.origin.wire());
    put32(out, zone.serial);
    put32(out, static_cast<std::uint32_t>(zone.rrsets.size()));
    for (const auto& set : zone.rrsets) {
        put(out, set.owner.wire());
        put16(out, set.type);
        put32(out, set.ttl);
        put16(out, set.rdatas.size());
        for (const auto& rdata : set.rdatas) {
            put16(out, rdata.size());
            put(out, rdata);
        }
    }
    return sealed(std::move(out));
}

Result<zone::ZoneData> decode_zone(std::string_view bytes) {
    const auto body = opened(bytes, kZoneMark);
    if (!body) return Error(Errc::malformed_file);
    dns::Reader reader(*body);
    zone::ZoneData out;
    out.origin = reader.name();
    out.serial = reader.u32();
    for (std::uint32_t left = reader.u32(); left > 0 && !reader.failed(); --left) {
        auto& set = out.rrsets.emplace_back();
        set.owner = reader.name();
        set.type = reader.u16();
        set.ttl = reader.u32();
        for (std::uint16_t i = reader.u16(); i > 0 && !reader.failed(); --i)
            set.rdatas.push_back(take_bytes(reader));
    }
    if (reader.failed() || reader.remaining() > 0) return Error(Errc::malformed_file);
    return out;
}

std::string encode_journal(const dns::Name& origin, const Journal& journal) {
    std::string out(kJournalMark);
    put(out, origin.wire());
    put32(out, static_cast<std::uint32_t>(journal.size()));
    for (const auto& difference : journal) {
        put32(out, difference->from);
        put32(out, difference->to);
        put_records(out, difference->removed);
        put_records(out, difference->added);
    }
    return sealed(std::move(out));
}

Result<Journal> decode_journal(std::string_view bytes, const dns::Name& origin) {
    const auto body = opened(bytes, kJournalMark);
    if (!body) return Error(Errc::malformed_file);
    dns::Reader reader(*body);
    if (reader.name() != origin) return Error(Errc::malformed_file);
    Journal out;
    for (std::uint32_t left = reader.u32(); left > 0 && !reader.failed(); --left) {
        Difference next;
        next.from = reader.u32();
        next.to = reader.u32();
        next.removed = take_records(reader);
        next.added = take_records(reader);
        if (!out.empty() && out.back()->to != next.from) return Error(Errc::malformed_file);
        out.push_back(std::make_shared<const Difference>(std::move(next)));
    }
    if (reader.failed() || reader.remaining() > 0) return Error(Errc::malformed_file);
    return out;
}

std::string file_stem(const dns::Name& origin) {
    std::string out;
    for (const char byte : origin.lowered().to_string()) {
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
                           byte == '-' || byte == '_' || byte == '.';
        if (plain) {
            out += byte;
            continue;
        }
        constexpr const char* kHex = "0123456789abcdef";
        out += '%';
        out += kHex[static_cast<unsigned char>(byte) >> 4];
        out += kHex[static_cast<unsigned char>(byte) & 0xf];
    }
    // "example.net." -> "example.net"; the root stays "."
    if (out.size() > 1) out.pop_back();
    return out == "." ? "%root" : out;
}

}  // namespace twinsite::gslb::transfer
