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

const RRset* find_in(const std::vector<const RRset*>& sets, std::uint16_t type) {
    for (const RRset* const set : sets)
        if (set->type == type) return set;
    return nullptr;
}

bool is_address(std::uint16_t type) {
    return type == dns::type::a || type == dns::type::aaaa;
}

}  // namespace

IndexBuilder::IndexBuilder(std::span<const ZoneData> zones, std::span<const Name> steered)
    : zones_(zones), steered_(steered), index_(std::make_shared<Index>()) {}

Built build_index(std::span<const ZoneData> zones, std::span<const wire::dns::Name> steered) {
    return IndexBuilder(zones, steered).build();
}

Built IndexBuilder::build() && {
    for (const ZoneData& data : zones_) {
        if (origins_.size() > 0xffff) problem(data, "more than 65536 zones");
        if (!origins_.emplace(data.origin, origins_.size()).second)
            problem(data, "the zone is given twice");
    }
    for (const Name& name : steered_) {
        const auto number = static_cast<std::uint32_t>(steered_numbers_.size());
        if (!steered_numbers_.emplace(name, number).second)
            problems_.push_back("steered name " + name.to_string() + " is given twice");
        const bool ours = std::any_of(zones_.begin(), zones_.end(), [&](const ZoneData& data) {
            return name.is_at_or_below(data.origin);
        });
        if (!ours) problems_.push_back("steered name " + name.to_string() + " is in no zone");
    }
    for (const ZoneData& data : zones_)
        if (problems_.size() < kMaxProblems) add_zone(data);
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
    zone_ = static_cast<std::uint16_t>(index_->zones_.size());
    gather(data);
    const RRset* const soa = find_set(data.origin, dns::type::soa);
    if (soa == nullptr || soa->rdatas.size() != 1) {
        problem(data, "the origin must have exactly one SOA record");
        return;
    }
    gather_steered(data);
    find_cuts(data);
    Zone zone;
    zone.origin = data.origin;
    zone.serial = data.serial;
    zone.origin_bytes = static_cast<std::uint8_t>(data.origin.size_bytes());
    for (const RRset& set : data.rrsets) zone.records += set.rdatas.size();
    Composition negative;
    const Frame frame{data.origin, data.origin};
    compose_rrset(*soa, negative_ttl(*soa), frame, Owner::above, negative);
    zone.negative = store(composed(std::move(negative), dns::type::soa, 1));
    index_->zones_.push_back(std::move(zone));
    make_nodes(data);
    make_referrals(data);
    link_wildcards();
    link_cnames(data);
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
    for (const RRset& set : data.rrsets) {
        const std::string what = set.owner.to_string() + " " + dns::type_to_string(set.type) + ": ";
        if (!set.owner.is_at_or_below(data.origin)) {
            problem(data, what + "not in this zone");
        } else if (set.rdatas.empty() || dns::type::is_meta(set.type)) {
            problem(data, what + "no records, or a type that has none");
        } else if (set.type == dns::type::dname) {
            problem(data, what + "DNAME is not served by this version");
        } else if (set.type == dns::type::ns && set.owner.is_wildcard()) {
            problem(data, what + "a wildcard cannot be delegated (RFC 4592 section 4.2)");
        } else if (!std::all_of(set.rdatas.begin(), set.rdatas.end(), [&](const auto& rdata) {
                       return is_well_formed(set.type, rdata);
                   })) {
            problem(data, what + "malformed data");
        } else if (set.owner == data.origin || !is_served_below(set.owner.parent(), data.origin)) {
            Entry& entry = entry_of(set.owner, data.origin);
            if (find_in(entry.sets, set.type) != nullptr) problem(data, what + "given twice");
            entry.sets.push_back(&set);
        }
    }
}

void IndexBuilder::gather_steered(const ZoneData& data) {
    for (const Name& name : steered_) {
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
    for (const Name& name : steered_)
        if (is_hidden(name) && !is_served_below(name, data.origin))
            problem(data, "steered name " + name.to_string() + " is at or below a delegation");
}

void IndexBuilder::make_nodes(const ZoneData& data) {
    for (auto& [name, entry] : entries_) {
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
    if (out.has_cname && (entry.sets.size() > 1 || cname->rdatas.size() > 1))
        problem(data, name.to_string() + ": a CNAME must be the only record of its name");
    if (entry.sets.size() > 0xff) problem(data, name.to_string() + ": more than 255 types");
    return out;
}

std::vector<IndexBuilder::Composed> IndexBuilder::compose(
    const Name& name, const Entry& entry, const ZoneData& data
) {
    std::vector<Composed> out;
    const bool is_cut = entry.cut == &name;
    const bool hidden = entry.cut != nullptr && !is_cut;
    const bool steered = steered_numbers_.contains(name);
    const Frame frame{name, data.origin};
    for (const RRset* const set : entry.sets) {
        if (hidden || (is_cut && set->type != dns::type::ds)) continue;
        if (steered && is_address(set->type)) continue;
        Composition records;
        compose_rrset(*set, set->ttl, frame, Owner::question, records);
        if (records.bytes.size() > kMaxBlobBytes) {
            problem(data, name.to_string() + ": more records of a type than an answer can hold");
            continue;
        }
        out.push_back(composed(std::move(records), set->type, set->rdatas.size()));
    }
    return out;
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

Composition IndexBuilder::compose_referral(
    const Name& cut, const RRset& servers, const ZoneData& data, std::uint16_t& additional
) const {
    Composition out;
    const Frame frame{cut, data.origin};
    compose_rrset(servers, servers.ttl, frame, Owner::above, out);
    for (const auto& rdata : servers.rdatas) {
        const Name server = target_name(dns::type::ns, rdata);
        if (steered_numbers_.contains(server)) continue;  // its addresses differ by client
        for (const auto type : {dns::type::a, dns::type::aaaa}) {
            const RRset* const glue = find_set(server, type);
            if (glue == nullptr) continue;
            compose_glue(*glue, frame, out);
            additional = static_cast<std::uint16_t>(additional + glue->rdatas.size());
        }
    }
    return out;
}

void IndexBuilder::make_referrals(const ZoneData& data) {
    std::unordered_map<const Name*, std::uint32_t> numbers;
    for (const auto& [name, entry] : entries_) {
        if (entry.cut == nullptr) continue;
        const auto next = static_cast<std::uint32_t>(index_->referrals_.size());
        const auto [found, fresh] = numbers.try_emplace(entry.cut, next);
        node(entry.node).referral = found->second;
        if (!fresh) continue;
        const Name& cut = *entry.cut;
        const RRset& servers = *find_set(cut, dns::type::ns);
        Referral referral;
        referral.name_bytes = static_cast<std::uint8_t>(cut.size_bytes());
        Composition records = compose_referral(cut, servers, data, referral.additional);
        if (records.bytes.size() > kMaxBlobBytes) {
            problem(data, cut.to_string() + ": more servers than an answer can hold");
            return;
        }
        referral.blob = store(composed(std::move(records), dns::type::ns, servers.rdatas.size()));
        index_->referrals_.push_back(referral);
    }
}

void IndexBuilder::link_wildcards() {
    for (const auto& [name, entry] : entries_) {
        if (!name.is_wildcard()) continue;
        const auto parent = entries_.find(name.parent());
        if (parent != entries_.end()) node(parent->second.node).wildcard = entry.node;
    }
}

void IndexBuilder::link_cnames(const ZoneData& data) {
    for (const auto& [name, entry] : entries_) {
        Node& alias = node(entry.node);
        if (!alias.has_cname) continue;
        const RRset& set = *find_in(entry.sets, dns::type::cname);
        link_cname(alias, target_name(set.type, set.rdatas.front()), data);
    }
}

void IndexBuilder::link_cname(Node& alias, const Name& target, const ZoneData& data) {
    if (!target.is_at_or_below(data.origin) || is_served_below(target, data.origin)) return;
    auto found = entries_.find(target);
    const bool exact = found != entries_.end();
    for (Name at = target; found == entries_.end();) {
        at = at.parent();
        found = entries_.find(at);
    }
    if (found->second.cut != nullptr) return;
    Arena::Place next = found->second.node;
    if (!exact) next = node(next).wildcard;
    alias.cname_end = next == kNone ? CnameEnd::name_error : CnameEnd::node;
    alias.cname_next = next;
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
