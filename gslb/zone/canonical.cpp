// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/canonical.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

namespace {

/// Where the names stand in the rdata of a type.
struct Layout {
    std::uint16_t type;
    std::uint8_t bytes_before;
    std::uint8_t strings_before;
    std::uint8_t names;
};

constexpr std::array<Layout, 19> kLayouts{{
    {2, 0, 0, 1},   // NS
    {3, 0, 0, 1},   // MD
    {4, 0, 0, 1},   // MF
    {5, 0, 0, 1},   // CNAME
    {6, 0, 0, 2},   // SOA
    {7, 0, 0, 1},   // MB
    {8, 0, 0, 1},   // MG
    {9, 0, 0, 1},   // MR
    {12, 0, 0, 1},  // PTR
    {14, 0, 0, 2},  // MINFO
    {15, 2, 0, 1},  // MX
    {17, 0, 0, 2},  // RP
    {18, 2, 0, 1},  // AFSDB
    {21, 2, 0, 1},  // RT
    {26, 2, 0, 2},  // PX
    {33, 6, 0, 1},  // SRV
    {35, 4, 3, 1},  // NAPTR
    {36, 2, 0, 1},  // KX
    {39, 0, 0, 1},  // DNAME
}};

/// One name at `at`, in place; false when it does not fit. `at` is moved behind it.
bool lower_name(std::vector<std::uint8_t>& rdata, std::size_t& at) {
    while (at < rdata.size()) {
        const std::size_t label = rdata[at++];
        if (label == 0) return true;
        if (label > wire::dns::kMaxLabelBytes || rdata.size() - at < label) return false;
        for (std::size_t i = 0; i < label; ++i) rdata[at + i] = wire::dns::to_lower(rdata[at + i]);
        at += label;
    }
    return false;
}

bool lower_names(std::vector<std::uint8_t>& rdata, const Layout& layout) {
    std::size_t at = layout.bytes_before;
    for (int i = 0; i < layout.strings_before; ++i) {
        if (at >= rdata.size()) return false;
        at += std::size_t{1} + rdata[at];
    }
    for (int i = 0; i < layout.names; ++i)
        if (!lower_name(rdata, at)) return false;
    return true;
}

}  // namespace

std::vector<std::uint8_t> canonical_rdata(std::uint16_t type, std::span<const std::uint8_t> rdata) {
    std::vector<std::uint8_t> out(rdata.begin(), rdata.end());
    const auto* const layout = std::find_if(
        kLayouts.begin(), kLayouts.end(), [&](const Layout& each) { return each.type == type; }
    );
    if (layout == kLayouts.end()) return out;
    if (!lower_names(out, *layout)) out.assign(rdata.begin(), rdata.end());
    return out;
}

void append_u16(std::vector<std::uint8_t>& out, std::uint16_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
}

void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
    append_u16(out, static_cast<std::uint16_t>(value >> 16));
    append_u16(out, static_cast<std::uint16_t>(value));
}

void append_bytes(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace twinsite::gslb::zone
