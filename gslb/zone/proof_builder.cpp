// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/proof_builder.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "gslb/zone/compose.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace dns = wire::dns;
using dns::Name;

constexpr std::uint8_t kSha1 = 1;  // RFC 5155 section 11
constexpr std::uint8_t kOptOut = 1;
constexpr std::size_t kMaxProblems = 50;

std::vector<std::uint64_t> words_of(const OrderKey& key) {
    return {key.words.begin(), key.words.begin() + static_cast<std::ptrdiff_t>(key.size)};
}

/// Algorithm, flags, iterations, salt: how both NSEC3 and NSEC3PARAM begin.
HashParameters parameters_of(std::span<const std::uint8_t> rdata) {
    HashParameters out;
    out.iterations = dns::load16(rdata.data() + 2);
    out.salt_bytes = rdata[4];
    std::copy_n(rdata.begin() + 5, out.salt_bytes, out.salt.begin());
    return out;
}

/// The hash that the first label spells (RFC 4648 section 7, without padding).
std::optional<HashedName> hash_in_label(const Name& owner) {
    const auto wire = owner.wire();
    if (wire[0] != 32) return std::nullopt;
    HashedName out{};
    std::size_t bit = 0;
    for (const std::uint8_t c : wire.subspan(1, 32)) {
        const std::uint8_t lower = dns::to_lower(c);
        unsigned value = 0;
        if (lower >= '0' && lower <= '9') {
            value = lower - '0';
        } else if (lower >= 'a' && lower <= 'v') {
            value = lower - 'a' + 10u;
        } else {
            return std::nullopt;
        }
        for (unsigned mask = 16; mask != 0; mask >>= 1, ++bit)
            if ((value & mask) != 0)
                out[bit / 8] = static_cast<std::uint8_t>(out[bit / 8] | 0x80u >> bit % 8);
    }
    return out;
}

}  // namespace

bool has_signed_types(const ZoneData& data) {
    return std::any_of(data.rrsets.begin(), data.rrsets.end(), [](const RRset& set) {
        return set.type == dns::type::rrsig || set.type == dns::type::nsec ||
               set.type == dns::type::nsec3 || set.type == dns::type::nsec3param;
    });
}

bool has_signed_apex(const ZoneData& data) {
    bool keys = false;
    bool chain = false;
    for (const RRset& set : data.rrsets) {
        if (set.owner != data.origin) continue;
        keys = keys || set.type == dns::type::dnskey;
        chain = chain || set.type == dns::type::nsec || set.type == dns::type::nsec3param;
    }
    return keys && chain;
}

ProofBuilder::ProofBuilder(const ZoneData& data, std::uint32_t negative_ttl_s, Arena& arena)
    : origin_(data.origin), origin_bytes_(origin_.size_bytes()), negative_ttl_s_(negative_ttl_s) {
    read_parameters(data);
    if (problems_.empty()) gather(data);
    if (problems_.empty() && links_.empty()) problem("its chain of NSEC or NSEC3 is empty");
    if (problems_.empty()) check_chain();
    if (problems_.empty()) store(arena);
}

void ProofBuilder::problem(std::string text) {
    if (problems_.size() < kMaxProblems) problems_.push_back(std::move(text));
}

void ProofBuilder::read_parameters(const ZoneData& data) {
    for (const RRset& set : data.rrsets) {
        if (set.type != dns::type::nsec3param || set.owner != data.origin) continue;
        const auto& rdata = set.rdatas.front();
        if (rdata[0] != kSha1) return problem("NSEC3PARAM names an unknown hash algorithm");
        hashing_ = parameters_of(rdata);
        if (hashing_->iterations > kMaxHashIterations)
            problem(
                "NSEC3 with " + std::to_string(hashing_->iterations) + " iterations; at most " +
                std::to_string(kMaxHashIterations) + " are served (RFC 9276 asks for 0)"
            );
        return;
    }
}

bool ProofBuilder::belongs(const RRset& set) const {
    if (!hashing_) return set.type == dns::type::nsec;
    if (set.type != dns::type::nsec3) return false;
    const auto& rdata = set.rdatas.front();
    return rdata[0] == kSha1 && parameters_of(rdata) == *hashing_;
}

std::optional<std::vector<std::uint64_t>> ProofBuilder::words_of(const RRset& record) const {
    OrderKey key;
    if (!hashing_) {
        const dns::NameKey name = dns::make_key(record.owner);
        key.set_name(name.bytes.data(), name.size, origin_bytes_);
        return zone::words_of(key);
    }
    const auto hash = hash_in_label(record.owner);
    if (!hash || record.owner.parent() != origin_) return std::nullopt;
    key.set_hash(*hash);
    return zone::words_of(key);
}

void ProofBuilder::gather(const ZoneData& data) {
    std::unordered_map<Name, const RRset*> signatures;
    for (const RRset& set : data.rrsets)
        if (set.type == dns::type::rrsig) signatures.emplace(set.owner, &set);
    struct Found {
        std::vector<std::uint64_t> words;
        const RRset* record;
    };
    std::vector<Found> found;
    for (const RRset& set : data.rrsets) {
        if (!belongs(set)) continue;
        auto words = words_of(set);
        if (!words) {
            problem(set.owner.to_string() + " is no owner of an NSEC3 record");
        } else if (set.rdatas.size() != 1) {
            problem(set.owner.to_string() + ": more than one " + dns::type_to_string(set.type));
        } else {
            found.push_back({*std::move(words), &set});
        }
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.words < b.words;
    });
    for (Found& one : found) {
        Link link{one.record, {one.record->owner, dns::type::rrsig, one.record->ttl, {}}};
        const auto rrsigs = signatures.find(one.record->owner);
        if (rrsigs != signatures.end())
            for (const auto& rdata : rrsigs->second->rdatas)
                if (type_covered(rdata) == one.record->type)
                    link.signatures.rdatas.push_back(rdata);
        links_.push_back(std::move(link));
        items_.push_back({std::move(one.words), 0});
    }
}

std::vector<std::uint64_t> ProofBuilder::next_words(const Link& link) const {
    const auto& rdata = link.record->rdatas.front();
    OrderKey key;
    if (!hashing_) {
        const Name next = target_name(dns::type::nsec, rdata);
        if (!next.is_at_or_below(origin_)) return {};
        const dns::NameKey name = dns::make_key(next);
        key.set_name(name.bytes.data(), name.size, origin_bytes_);
        return zone::words_of(key);
    }
    const std::size_t at = std::size_t{5} + rdata[4];
    HashedName hash;
    if (rdata[at] != hash.size()) return {};
    std::copy_n(rdata.begin() + static_cast<std::ptrdiff_t>(at) + 1, hash.size(), hash.begin());
    key.set_hash(hash);
    return zone::words_of(key);
}

void ProofBuilder::check_chain() {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const std::string owner = links_[i].record->owner.to_string();
        const std::size_t after = (i + 1) % links_.size();
        if (links_[i].signatures.rdatas.empty())
            problem(owner + " " + dns::type_to_string(links_[i].record->type) + ": no signature");
        if (next_words(links_[i]) != items_[after].words)
            problem(
                owner + ": the chain does not go on at " + links_[after].record->owner.to_string()
            );
    }
}

void ProofBuilder::store(Arena& arena) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        Link& link = links_[i];
        bytes.clear();
        const Proof proof =
            compose_proof(*link.record, link.signatures.rdatas, negative_ttl_s_, origin_, bytes);
        link.proof = arena.reserve(sizeof(Proof) + bytes.size());
        std::byte* const at = arena.at(link.proof);
        new (at) Proof(proof);
        std::memcpy(at + sizeof(Proof), bytes.data(), bytes.size());
        items_[i].proof = link.proof;
    }
    order_ = std::make_shared<const ProofOrder>(hashing_, origin_bytes_, items_);
}

ProofBuilder::Place ProofBuilder::find(const Name& name) const {
    const dns::NameKey bytes = dns::make_key(name);
    OrderKey key;
    if (hashing_) {
        key.set_hash(hash_name_of(*hashing_, bytes.bytes.data(), bytes.size));
    } else {
        key.set_name(bytes.bytes.data(), bytes.size, origin_bytes_);
    }
    const std::size_t number = order_->at_or_before(key);
    return {number, items_[number].words == zone::words_of(key)};
}

const ProofBuilder::Link& ProofBuilder::covering(const Name& name) const {
    return links_[find(name).number];
}

ProofBuilder::Shown ProofBuilder::shown_by(const Name& name) const {
    Place place = find(name);
    if (place.is_exact || !hashing_) return {&links_[place.number], nullptr, place.is_exact, name};
    const Link* above = &links_[place.number];
    Name at = name;
    while (at.size_bytes() > origin_bytes_) {
        at = at.parent();
        place = find(at);
        if (place.is_exact) break;
        above = &links_[place.number];
    }
    return {&links_[place.number], above, false, at};
}

bool ProofBuilder::opts_out(const Link& link) {
    return link.record->type == dns::type::nsec3 && (link.record->rdatas.front()[1] & kOptOut) != 0;
}

}  // namespace twinsite::gslb::zone
