// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/index_builder.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace dns = wire::dns;

namespace {

constexpr std::size_t kMaxProblems = 50;

/// RFC 2181 section 10.1 and RFC 4034 section 4: what a signed alias has besides.
bool may_stand_beside_cname(std::uint16_t type) {
    return type == dns::type::cname || type == dns::type::rrsig || type == dns::type::nsec;
}

}  // namespace

IndexBuilder::IndexBuilder(
    std::span<const ZoneData* const> zones, std::span<const SteeredName> steered
)
    : zones_(zones), steered_(steered), index_(std::make_shared<Index>()) {}

Built build_index(std::span<const ZoneData* const> zones, std::span<const SteeredName> steered) {
    return IndexBuilder(zones, steered).build();
}

Built build_index(std::span<const ZoneData> zones, std::span<const SteeredName> steered) {
    std::vector<const ZoneData*> places;
    for (const ZoneData& data : zones) places.push_back(&data);
    return build_index(places, steered);
}

Built IndexBuilder::build() && {
    for (const ZoneData* const zone : zones_) {
        const ZoneData& data = *zone;
        if (origins_.size() > 0xffff) problem(data, "more than 65536 zones");
        if (!origins_.emplace(data.origin, origins_.size()).second)
            problem(data, "the zone is given twice");
    }
    for (const auto& [name, types] : steered_) {
        std::uint8_t mask = 0;
        for (const std::uint16_t type : types) {
            const std::uint8_t bit = steerable_bit(type);
            if (bit == 0)
                problems_.push_back(
                    "steered name " + name.to_string() + ": type " + dns::type_to_string(type) +
                    " cannot be steered"
                );
            mask = static_cast<std::uint8_t>(mask | bit);
        }
        index_->steered_types_.push_back(mask);
        const auto number = static_cast<std::uint32_t>(steered_numbers_.size());
        if (!steered_numbers_.emplace(name, number).second)
            problems_.push_back("steered name " + name.to_string() + " is given twice");
        const bool ours = std::any_of(zones_.begin(), zones_.end(), [&](const ZoneData* data) {
            return name.is_at_or_below(data->origin);
        });
        if (!ours) problems_.push_back("steered name " + name.to_string() + " is in no zone");
    }
    for (const ZoneData* const data : zones_)
        if (problems_.size() < kMaxProblems) add_zone(*data);
    if (!problems_.empty()) return {nullptr, std::move(problems_)};
    link_parent_sides();
    finish();
    return {std::move(index_), {}};
}

void IndexBuilder::problem(const ZoneData& data, const std::string& text) {
    if (problems_.size() < kMaxProblems)
        problems_.push_back("zone " + data.origin.to_string() + ": " + text);
}

/// Whether another zone of ours, deeper than `origin`, has `name` strictly below its apex or at it.
bool IndexBuilder::is_served_below(const Name& name, const Name& origin) const {
    if (origins_.size() == 1) return false;
    for (Name at = name; at.size_bytes() > origin.size_bytes(); at = at.parent())
        if (origins_.contains(at)) return true;
    return false;
}

const RRset* IndexBuilder::find_in(const std::vector<const RRset*>& sets, std::uint16_t type) {
    for (const RRset* const set : sets)
        if (set->type == type) return set;
    return nullptr;
}

const RRset* IndexBuilder::find_set(const Name& owner, std::uint16_t type) const {
    const auto found = entries_.find(owner);
    return found == entries_.end() ? nullptr : find_in(found->second.sets, type);
}

bool IndexBuilder::is_hidden(const Name& name) const {
    const auto found = entries_.find(name);
    return found != entries_.end() && found->second.cut != nullptr;
}

void IndexBuilder::add_zone(const ZoneData& data) {
    entries_.clear();
    chain_.reset();
    zone_ = static_cast<std::uint16_t>(index_->zones_.size());
    if (data.rrsets.empty()) return add_unavailable(data);
    gather(data);
    const RRset* const soa = find_set(data.origin, dns::type::soa);
    if (soa == nullptr || soa->rdatas.size() != 1) {
        problem(data, "the origin must have exactly one SOA record");
        return;
    }
    gather_steered(data);
    find_cuts(data);
    find_occluded(data);
    open_chain(data, *soa);
    make_zone(data, *soa);
    make_nodes(data);
    if (chain_ != nullptr) prove_nodes(data);
    make_referrals(data);
    link_wildcards();
    link_cnames(data);
}

void IndexBuilder::make_zone(const ZoneData& data, const RRset& soa) {
    Zone zone;
    zone.origin = data.origin;
    zone.serial = data.serial;
    zone.origin_bytes = static_cast<std::uint8_t>(data.origin.size_bytes());
    for (const RRset& set : data.rrsets) zone.records += set.rdatas.size();
    if (chain_ != nullptr) zone.proofs = chain_->order();
    Composition records;
    const Frame frame{data.origin, data.origin};
    const std::uint32_t ttl = negative_ttl(soa);
    compose_rrset(soa, ttl, frame, Owner::above, records);
    Composed negative = composed(std::move(records), dns::type::soa, 1);
    add_signatures(signatures_of(entries_.at(data.origin), soa), ttl, negative);
    zone.negative = store(negative);
    index_->zones_.push_back(std::move(zone));
}

/// The apex alone, with a referral to nobody: the common path finds it as it finds a cut.
void IndexBuilder::add_unavailable(const ZoneData& data) {
    Zone zone;
    zone.origin = data.origin;
    zone.available = false;
    zone.origin_bytes = static_cast<std::uint8_t>(data.origin.size_bytes());
    index_->zones_.push_back(std::move(zone));
    const Entry& apex = entries_[data.origin];
    make_nodes(data);
    node(apex.node).referral = static_cast<std::uint32_t>(index_->referrals_.size());
    index_->referrals_.emplace_back();
}

IndexBuilder::Entry& IndexBuilder::entry_of(const Name& name, const Name& origin) {
    // A name that is there already has its ancestors too.
    const auto [found, fresh] = entries_.try_emplace(name);
    if (!fresh) return found->second;
    Entry& out = found->second;
    for (Name at = name; at.size_bytes() > origin.size_bytes();) {
        at = at.parent();
        if (!entries_.try_emplace(at).second) break;
    }
    return out;
}

void IndexBuilder::gather(const ZoneData& data) {
    hashed_owners_.clear();
    for (const RRset& set : data.rrsets)
        if (set.type == dns::type::nsec3) hashed_owners_.insert(set.owner);
    for (const RRset& set : data.rrsets) {
        const std::string wrong = problem_of(set, data);
        if (wrong.empty()) {
            gather_set(set, data);
        } else {
            problem(
                data, set.owner.to_string() + " " + dns::type_to_string(set.type) + ": " + wrong
            );
        }
    }
}

std::string IndexBuilder::problem_of(const RRset& set, const ZoneData& data) const {
    if (!set.owner.is_at_or_below(data.origin)) return "not in this zone";
    if (set.rdatas.empty() || dns::type::is_meta(set.type))
        return "no records, or a type that has none";
    if (set.type == dns::type::ns && set.owner.is_wildcard())
        return "a wildcard cannot be delegated (RFC 4592 section 4.2)";
    if (set.type == dns::type::dname && set.rdatas.size() > 1)
        return "more than one (RFC 6672 section 2.4)";
    const bool well_formed =
        std::all_of(set.rdatas.begin(), set.rdatas.end(), [&](const auto& rdata) {
            return is_well_formed(set.type, rdata);
        });
    return well_formed ? "" : "malformed data";
}

void IndexBuilder::gather_set(const RRset& set, const ZoneData& data) {
    // NSEC3 records stand beside the tree of names (RFC 5155 section 7.2.8).
    if (set.type == dns::type::nsec3) return;
    if (set.type == dns::type::rrsig && hashed_owners_.contains(set.owner) &&
        std::all_of(set.rdatas.begin(), set.rdatas.end(), [](const auto& rdata) {
            return type_covered(rdata) == dns::type::nsec3;
        }))
        return;
    if (set.owner != data.origin && is_served_below(set.owner.parent(), data.origin)) return;
    Entry& entry = entry_of(set.owner, data.origin);
    if (find_in(entry.sets, set.type) != nullptr)
        problem(
            data, set.owner.to_string() + " " + dns::type_to_string(set.type) + ": given twice"
        );
    entry.sets.push_back(&set);
}

void IndexBuilder::gather_steered(const ZoneData& data) {
    for (const auto& [name, types] : steered_) {
        if (!name.is_at_or_below(data.origin) || is_served_below(name, data.origin)) continue;
        const Entry& entry = entry_of(name, data.origin);
        if (find_in(entry.sets, dns::type::cname) != nullptr)
            problem(data, "steered name " + name.to_string() + " has a CNAME record");
    }
}

void IndexBuilder::find_cuts(const ZoneData& data) {
    const auto is_cut = [&](const Name& name, const Entry& entry) {
        return name != data.origin && find_in(entry.sets, dns::type::ns) != nullptr;
    };
    const bool any = std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
        return is_cut(entry.first, entry.second);
    });
    if (!any) return;
    for (auto& [name, entry] : entries_) {
        for (Name at = name; at.size_bytes() > data.origin.size_bytes(); at = at.parent()) {
            const auto found = entries_.find(at);
            if (is_cut(found->first, found->second)) entry.cut = &found->first;
        }
    }
    for (const auto& [name, types] : steered_)
        if (is_hidden(name) && !is_served_below(name, data.origin))
            problem(data, "steered name " + name.to_string() + " is at or below a delegation");
}

bool IndexBuilder::is_below_dname(const Name& name, const Name& origin) const {
    for (Name at = name; at.size_bytes() > origin.size_bytes();) {
        at = at.parent();
        const auto found = entries_.find(at);
        if (found != entries_.end() && found->second.cut == nullptr &&
            find_in(found->second.sets, dns::type::dname) != nullptr)
            return true;
    }
    return false;
}

/// RFC 6672 section 2.4: nothing below a DNAME is there.
void IndexBuilder::find_occluded(const ZoneData& data) {
    has_dnames_ = std::any_of(data.rrsets.begin(), data.rrsets.end(), [](const RRset& set) {
        return set.type == dns::type::dname;
    });
    if (!has_dnames_) return;
    for (auto& [name, entry] : entries_) entry.is_occluded = is_below_dname(name, data.origin);
    for (const auto& [name, types] : steered_) {
        const auto found = entries_.find(name);
        if (found != entries_.end() && found->second.is_occluded)
            problem(data, "steered name " + name.to_string() + " is below a DNAME");
    }
}

void IndexBuilder::make_nodes(const ZoneData& data) {
    for (auto& [name, entry] : entries_) {
        if (entry.is_occluded) continue;
        entry.node = add_node(name, entry, data);
        ++index_->name_count_;
        index_->max_labels_ = std::max(index_->max_labels_, name.label_count());
        if (name != data.origin && origins_.contains(name)) {
            // The zone below has this name in the table; what the parent knows about it (DS) is
            // reached from there (RFC 4035 section 3.1.4.1).
            parent_sides_.emplace(name, entry.node);
            continue;
        }
        listed_.push_back(entry.node);
        if (name == data.origin) apexes_.emplace(name, entry.node);
    }
}

Node IndexBuilder::describe(const Name& name, const Entry& entry, const ZoneData& data) {
    Node out;
    out.zone = zone_;
    out.name_bytes = static_cast<std::uint8_t>(name.size_bytes());
    out.is_cut = entry.cut == &name;
    const auto number = steered_numbers_.find(name);
    if (number != steered_numbers_.end()) out.steered = number->second;
    const RRset* const cname = find_in(entry.sets, dns::type::cname);
    out.has_cname = cname != nullptr && entry.cut == nullptr;
    out.has_dname = entry.cut == nullptr && find_in(entry.sets, dns::type::dname) != nullptr;
    const bool is_alone = std::all_of(entry.sets.begin(), entry.sets.end(), [](const RRset* set) {
        return may_stand_beside_cname(set->type);
    });
    if (out.has_cname && (!is_alone || cname->rdatas.size() > 1))
        problem(data, name.to_string() + ": a CNAME must be the only record of its name");
    if (out.is_cut && find_in(entry.sets, dns::type::dname) != nullptr)
        problem(data, name.to_string() + ": NS and DNAME at one name (RFC 6672 section 2.3)");
    if (entry.sets.size() > 0xff) problem(data, name.to_string() + ": more than 255 types");
    return out;
}

bool IndexBuilder::is_answered(const Name& name, const Entry& entry, const RRset& set) const {
    if (set.type == dns::type::rrsig) return false;  // goes with what it covers
    if (entry.cut != nullptr) return entry.cut == &name && set.type == dns::type::ds;
    const auto number = steered_numbers_.find(name);
    return number == steered_numbers_.end() ||
           (index_->steered_types_[number->second] & steerable_bit(set.type)) == 0;
}

RRset IndexBuilder::signatures_of(const Entry& entry, const RRset& set) const {
    RRset out{set.owner, dns::type::rrsig, set.ttl, {}};
    const RRset* const all = chain_ == nullptr ? nullptr : find_in(entry.sets, out.type);
    if (all == nullptr) return out;
    for (const auto& rdata : all->rdatas)
        if (type_covered(rdata) == set.type) out.rdatas.push_back(rdata);
    return out;
}

std::vector<IndexBuilder::Composed> IndexBuilder::compose(
    const Name& name, const Entry& entry, const ZoneData& data
) {
    std::vector<Composed> out;
    const Frame frame{name, data.origin};
    for (const RRset* const set : entry.sets) {
        if (!is_answered(name, entry, *set)) continue;
        Composition records;
        compose_rrset(*set, set->ttl, frame, Owner::question, records);
        Composed one = composed(std::move(records), set->type, set->rdatas.size());
        const RRset signatures = signatures_of(entry, *set);
        if (chain_ != nullptr && signatures.rdatas.empty())
            problem(
                data, name.to_string() + " " + dns::type_to_string(set->type) + ": no signature"
            );
        add_signatures(signatures, set->ttl, one);
        if (one.records.bytes.size() > kMaxBlobBytes) {
            problem(data, name.to_string() + ": more records of a type than an answer can hold");
            continue;
        }
        out.push_back(std::move(one));
    }
    // Where a CNAME is, it comes first: those who follow it need not search.
    std::stable_partition(out.begin(), out.end(), [](const Composed& one) {
        return one.blob.type == dns::type::cname;
    });
    return out;
}

/// The blob's own bytes end where the signatures begin.
void IndexBuilder::add_signatures(const RRset& signatures, std::uint32_t ttl, Composed& to) {
    if (signatures.rdatas.empty()) return;
    const std::size_t before = to.records.bytes.size();
    const Frame frame{signatures.owner, signatures.owner};
    compose_rrset(signatures, ttl, frame, Owner::question, to.records);
    to.blob.signature_bytes = static_cast<std::uint16_t>(to.records.bytes.size() - before);
    to.blob.signatures = static_cast<std::uint16_t>(signatures.rdatas.size());
}

Arena::Place IndexBuilder::add_node(const Name& name, const Entry& entry, const ZoneData& data) {
    Node described = describe(name, entry, data);
    std::vector<Composed> blobs = compose(name, entry, data);
    described.blob_count = static_cast<std::uint8_t>(blobs.size());
    const dns::NameKey key = dns::make_key(name);
    const std::size_t name_end = Node::kNameAt + (key.size + 7) / 8 * 8;
    if (!arena_.has_room(name_end + blobs.size() * (sizeof(Blob) + kMaxBlobBytes * 2))) {
        problem(data, "the zones have more data than an index can hold");
        return 0;
    }
    const auto place = arena_.reserve(name_end + blobs.size() * sizeof(Blob), kCacheLineBytes);
    for (Composed& one : blobs) one.blob = store(one);
    std::byte* const at = arena_.at(place);
    new (at) Node(described);
    std::memcpy(at + Node::kNameAt, key.bytes.data(), name_end - Node::kNameAt);
    std::size_t blob_at = name_end;
    for (const Composed& one : blobs) {
        new (at + blob_at) Blob(one.blob);
        blob_at += sizeof(Blob);
    }
    return place;
}

IndexBuilder::Composed IndexBuilder::composed(
    Composition records, std::uint16_t type, std::size_t count
) {
    Blob blob;
    blob.size_bytes = static_cast<std::uint16_t>(records.bytes.size());
    blob.fixup_count = static_cast<std::uint16_t>(records.fixups.size());
    blob.records = static_cast<std::uint16_t>(count);
    blob.type = type;
    return {blob, std::move(records)};
}

Blob IndexBuilder::store(const Composed& composed) {
    const auto& [bytes, fixups] = composed.records;
    const std::size_t fixups_at = (bytes.size() + 7) / 8 * 8;
    Blob out = composed.blob;
    out.place = arena_.reserve(fixups_at + fixups.size() * sizeof(std::uint16_t));
    std::memcpy(arena_.at(out.place), bytes.data(), bytes.size());
    if (!fixups.empty())
        std::memcpy(
            arena_.at(out.place) + fixups_at, fixups.data(), fixups.size() * sizeof(std::uint16_t)
        );
    return out;
}

void IndexBuilder::link_parent_sides() {
    for (const auto& [name, parent_side] : parent_sides_)
        node(apexes_.at(name)).parent_side = parent_side;
}

void IndexBuilder::finish() {
    std::vector<Index::Slot> slots(std::bit_ceil(listed_.size() * 2 + 2));
    const std::size_t mask = slots.size() - 1;
    for (const Arena::Place place : listed_) {
        const Node& listed = node(place);
        const std::uint64_t hash = dns::hash_name(listed.name(), listed.name_bytes);
        std::size_t at = hash & mask;
        while (slots[at].node != kNone) at = (at + 1) & mask;
        slots[at] = {static_cast<std::uint32_t>(hash >> 32), place};
    }
    index_->slots_ = Pages(std::as_bytes(std::span(slots)));
    index_->slot_mask_ = mask;
    index_->pages_ = Pages(arena_.bytes());
}

}  // namespace twinsite::gslb::zone
