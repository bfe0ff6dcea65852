// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/denial_chain.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/crypto/digest.hpp"
#include "gslb/zone/canonical.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace type = wire::dns::type;
using wire::dns::Name;

constexpr std::size_t kWindowBytes = 32;  // RFC 4034 section 4.1.2
constexpr std::size_t kHashBytes = 20;

std::vector<std::uint16_t> listed_types(const ChainName& name, std::uint16_t chain_type) {
    auto out = name.types;
    // An NSEC stands, signed, at the name itself; an NSEC3 at another.
    if (chain_type == type::nsec) out.push_back(type::nsec);
    if (chain_type == type::nsec || name.has_signature) out.push_back(type::rrsig);
    return out;
}

RRset one_record(Name owner, std::uint16_t rr_type, std::uint32_t ttl) {
    RRset out;
    out.owner = std::move(owner);
    out.type = rr_type;
    out.ttl = ttl;
    out.rdatas.emplace_back();
    return out;
}

/// Where the bitmap of an NSEC3 begins, or nothing when the rdata ends before.
std::optional<std::size_t> nsec3_head_bytes(std::span<const std::uint8_t> rdata) {
    constexpr std::size_t kFixed = 4;  // algorithm, flags, iterations
    std::size_t at = kFixed;
    for (int field = 0; field < 2; ++field) {  // salt, next hash
        if (at >= rdata.size()) return std::nullopt;
        at += std::size_t{1} + rdata[at];
    }
    if (at > rdata.size()) return std::nullopt;
    return at;
}

std::optional<std::size_t> nsec_head_bytes(std::span<const std::uint8_t> rdata) {
    std::size_t at = 0;
    if (!wire::dns::decode_name(rdata, at)) return std::nullopt;
    return at;
}

}  // namespace

std::vector<std::uint8_t> encode_bitmap(std::vector<std::uint16_t> types) {
    std::map<std::uint8_t, std::array<std::uint8_t, kWindowBytes>> windows;
    for (const std::uint16_t each : types) {
        auto& window = windows[static_cast<std::uint8_t>(each >> 8)];
        window.at((each & 0xff) / 8) |= static_cast<std::uint8_t>(0x80 >> (each & 7));
    }
    std::vector<std::uint8_t> out;
    for (const auto& [number, bits] : windows) {
        std::size_t size = kWindowBytes;
        while (bits.at(size - 1) == 0) --size;
        out.push_back(number);
        out.push_back(static_cast<std::uint8_t>(size));
        append_bytes(out, std::span(bits).first(size));
    }
    return out;
}

std::optional<std::vector<std::uint16_t>> decode_bitmap(std::span<const std::uint8_t> bitmap) {
    std::vector<std::uint16_t> out;
    int last_window = -1;
    while (!bitmap.empty()) {
        if (bitmap.size() < 2) return std::nullopt;
        const int window = bitmap[0];
        const std::size_t size = bitmap[1];
        if (window <= last_window || size == 0 || size > kWindowBytes || bitmap.size() - 2 < size)
            return std::nullopt;
        last_window = window;
        for (std::size_t bit = 0; bit < size * 8; ++bit)
            if ((bitmap[2 + bit / 8] & (0x80 >> (bit % 8))) != 0)
                out.push_back(
                    static_cast<std::uint16_t>(static_cast<std::size_t>(window) * 256 + bit)
                );
        bitmap = bitmap.subspan(2 + size);
    }
    return out;
}

std::string nsec3_hash(const Name& name) {
    const Name lowered = name.lowered();
    const auto wire = lowered.wire();
    return base::crypto::sha1({reinterpret_cast<const char*>(wire.data()), wire.size()});
}

std::string nsec3_label(std::string_view hash) {
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
    std::string out;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : hash) {
        bits = (bits & 0xffU) << 8 | static_cast<std::uint8_t>(c);
        for (count += 8; count >= 5; count -= 5) out.push_back(kDigits[bits >> (count - 5) & 31U]);
    }
    return out;
}

std::vector<RRset> make_nsec_chain(std::span<const ChainName> names, std::uint32_t ttl) {
    std::vector<RRset> out;
    out.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        out.push_back(one_record(names[i].name, type::nsec, ttl));
        auto& rdata = out.back().rdatas.front();
        append_bytes(rdata, names[i + 1 < names.size() ? i + 1 : 0].name.lowered().wire());
        append_bytes(rdata, encode_bitmap(listed_types(names[i], type::nsec)));
    }
    return out;
}

std::vector<RRset> make_nsec3_chain(
    std::span<const ChainName> names, const Name& origin, std::uint32_t ttl
) {
    std::vector<std::pair<std::string, const ChainName*>> hashed;
    hashed.reserve(names.size());
    for (const ChainName& name : names) hashed.emplace_back(nsec3_hash(name.name), &name);
    std::sort(hashed.begin(), hashed.end());
    std::vector<RRset> out;
    out.reserve(hashed.size());
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        const auto& next = hashed[i + 1 < hashed.size() ? i + 1 : 0].first;
        const auto owner = origin.with_label(nsec3_label(hashed[i].first));
        if ((i > 0 && hashed[i].first == hashed[i - 1].first) || !owner) return {};
        out.push_back(one_record(*owner, type::nsec3, ttl));
        auto& rdata = out.back().rdatas.front();
        rdata = {1, 0, 0, 0, 0, kHashBytes};  // SHA-1, no opt-out, 0 iterations, no salt
        rdata.insert(rdata.end(), next.begin(), next.end());
        append_bytes(rdata, encode_bitmap(listed_types(*hashed[i].second, type::nsec3)));
    }
    return out;
}

DenialChain::DenialChain(const ZoneData& signed_zone) : origin_(signed_zone.origin) {
    for (const RRset& set : signed_zone.rrsets) {
        if (set.type != type::nsec && set.type != type::nsec3) continue;
        hashed_ = set.type == type::nsec3;
        const auto& rdata = set.rdatas.front();
        const auto head = hashed_ ? nsec3_head_bytes(rdata) : nsec_head_bytes(rdata);
        auto types = head ? decode_bitmap(std::span(rdata).subspan(*head)) : std::nullopt;
        if (!types) continue;
        Link link{set.owner, set.type, set.ttl, {}, *std::move(types)};
        link.head.assign(rdata.begin(), rdata.begin() + static_cast<std::ptrdiff_t>(*head));
        links_.emplace(set.owner, std::move(link));
    }
}

const DenialChain::Link* DenialChain::find(const Name& name) const {
    std::optional<Name> owner = name;
    if (hashed_) {
        const auto below = origin_.with_label(nsec3_label(nsec3_hash(name)));
        if (!below) return nullptr;
        owner = *below;
    }
    const auto found = links_.find(*owner);
    return found == links_.end() ? nullptr : &found->second;
}

}  // namespace twinsite::gslb::zone
