// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/compose.hpp"

#include <algorithm>

#include "base/error/check.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace dns = wire::dns;
using dns::Name;
using Bytes = std::span<const std::uint8_t>;

/// What RDATA of a compressible type consists of: fixed bytes, names, fixed bytes.
struct Layout {
    std::size_t before = 0;
    std::size_t names = 0;
    std::size_t after = 0;
};

Layout layout_of(std::uint16_t type) {
    switch (type) {
        case dns::type::ns:
        case dns::type::cname:
        case dns::type::ptr:
            return {0, 1, 0};
        case dns::type::mx:
            return {2, 1, 0};
        case dns::type::soa:
            return {0, 2, 20};
        default:
            return {};
    }
}

void append16(std::vector<std::uint8_t>& to, std::size_t value) {
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value));
}

void append32(std::vector<std::uint8_t>& to, std::uint32_t value) {
    append16(to, value >> 16);
    append16(to, value & 0xffff);
}

void append(std::vector<std::uint8_t>& to, Bytes bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_suffix_pointer(const Frame& frame, Composition& into) {
    into.fixups.push_back(static_cast<std::uint16_t>(into.bytes.size()));
    const std::size_t above = frame.question.size_bytes() - frame.suffix.size_bytes();
    append16(into.bytes, 0xC000 | (dns::kHeaderBytes + above));
}

/// `name` with its tail replaced by a pointer when that tail is the frame's suffix.
void append_name(const Name& name, const Frame& frame, Composition& into) {
    if (frame.suffix.is_root() || !name.is_at_or_below(frame.suffix)) {
        append(into.bytes, name.wire());
        return;
    }
    append(into.bytes, name.wire().first(name.size_bytes() - frame.suffix.size_bytes()));
    append_suffix_pointer(frame, into);
}

void append_rdata(std::uint16_t type, Bytes rdata, const Frame& frame, Composition& into) {
    const Layout layout = layout_of(type);
    dns::Reader reader(rdata);
    append(into.bytes, reader.bytes(layout.before));
    for (std::size_t i = 0; i < layout.names; ++i) append_name(reader.name(), frame, into);
    append(into.bytes, reader.bytes(reader.remaining()));
    BASE_CHECK(!reader.failed());
}

/// Everything of a record behind its owner.
void append_fields(
    const RRset& set, Bytes rdata, std::uint32_t ttl, const Frame& frame, Composition& into
) {
    append16(into.bytes, set.type);
    append16(into.bytes, dns::kClassIn);
    append32(into.bytes, ttl);
    const std::size_t length_at = into.bytes.size();
    append16(into.bytes, 0);
    append_rdata(set.type, rdata, frame, into);
    const std::size_t size = into.bytes.size() - length_at - 2;
    into.bytes[length_at] = static_cast<std::uint8_t>(size >> 8);
    into.bytes[length_at + 1] = static_cast<std::uint8_t>(size);
}

}  // namespace

void compose_rrset(
    const RRset& set, std::uint32_t ttl, const Frame& frame, Owner owner, Composition& into
) {
    for (const auto& rdata : set.rdatas) {
        if (owner == Owner::above)
            into.fixups.push_back(static_cast<std::uint16_t>(into.bytes.size()));
        append16(into.bytes, 0xC000 | dns::kHeaderBytes);
        append_fields(set, rdata, ttl, frame, into);
    }
}

void compose_glue(const RRset& set, const Frame& frame, Composition& into) {
    for (const auto& rdata : set.rdatas) {
        append_name(set.owner, frame, into);
        append_fields(set, rdata, set.ttl, frame, into);
    }
}

bool is_well_formed(std::uint16_t type, Bytes rdata) {
    if (type == dns::type::a) return rdata.size() == 4;
    if (type == dns::type::aaaa) return rdata.size() == 16;
    const Layout layout = layout_of(type);
    if (layout.names == 0) return rdata.size() <= kMaxBlobBytes;
    dns::Reader reader(rdata);
    reader.bytes(layout.before);
    for (std::size_t i = 0; i < layout.names; ++i) {
        const std::size_t start = reader.offset();
        const Name name = reader.name();
        if (reader.failed() || reader.offset() - start != name.size_bytes()) return false;
    }
    return reader.remaining() == layout.after;
}

Name target_name(std::uint16_t type, Bytes rdata) {
    dns::Reader reader(rdata);
    reader.bytes(layout_of(type).before);
    return reader.name();
}

std::uint32_t negative_ttl(const RRset& soa) {
    const auto& rdata = soa.rdatas.front();
    return std::min(soa.ttl, dns::load32(rdata.data() + rdata.size() - 4));
}

}  // namespace twinsite::gslb::zone
