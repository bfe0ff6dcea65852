// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/zone_checks.hpp"

#include <algorithm>
#include <unordered_map>

#include "gslb/zone/rdata_text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace type = wire::dns::type;
using wire::dns::Name;

/// Where the RRsets of one owner are.
struct Owner {
    std::vector<std::size_t> sets;
};

class Assembly {
public:
    Assembly(const Name& origin, FindingList& findings) : findings_(findings) {
        zone_.origin = origin;
    }

    void add(Record record) {
        Owner& owner = owners_[record.owner];
        for (const std::size_t index : owner.sets)
            if (zone_.rrsets[index].type == record.type) return extend(index, std::move(record));
        owner.sets.push_back(zone_.rrsets.size());
        lines_.push_back(record.line);
        RRset set;
        set.owner = std::move(record.owner);
        set.type = record.type;
        set.ttl = record.ttl;
        set.rdatas.push_back(std::move(record.rdata));
        zone_.rrsets.push_back(std::move(set));
    }

    void check_apex(const std::vector<std::uint16_t>& failed) {
        const auto apex = owners_.find(zone_.origin);
        const auto find = [&](std::uint16_t wanted) -> const RRset* {
            if (apex == owners_.end()) return nullptr;
            for (const std::size_t index : apex->second.sets)
                if (zone_.rrsets[index].type == wanted) return &zone_.rrsets[index];
            return nullptr;
        };
        if (const RRset* const soa = find(type::soa)) zone_.serial = serial_of(soa->rdatas.front());
        for (const std::uint16_t wanted : {type::soa, type::ns}) {
            if (find(wanted) != nullptr) continue;
            if (std::find(failed.begin(), failed.end(), wanted) != failed.end()) continue;
            findings_.error(
                0, "no " + rr_type_name(wanted) + " record at " + zone_.origin.to_string()
            );
        }
    }

    void check_cnames() {
        for (std::size_t i = 0; i < zone_.rrsets.size(); ++i) {
            const RRset& set = zone_.rrsets[i];
            if (set.type != type::cname) continue;
            const std::string owner = set.owner.to_string();
            if (set.owner == zone_.origin)
                findings_.error(lines_[i], "a CNAME at the apex " + owner);
            else if (owners_.find(set.owner)->second.sets.size() > 1)
                findings_.error(lines_[i], "other data beside the CNAME of " + owner);
        }
    }

    ZoneData take() {
        for (RRset& set : zone_.rrsets) drop_repetitions(set);
        return std::move(zone_);
    }

private:
    void extend(std::size_t index, Record record) {
        RRset& set = zone_.rrsets[index];
        if (set.type == type::soa)
            return findings_.error(
                record.line, "a second SOA; the first is in line " + std::to_string(lines_[index])
            );
        if (set.type == type::cname && set.rdatas.front() != record.rdata)
            return findings_.error(
                record.line,
                "a second CNAME for " + set.owner.to_string() + "; the first is in line " +
                    std::to_string(lines_[index])
            );
        if (set.ttl != record.ttl) {
            const std::uint32_t least = std::min(set.ttl, record.ttl);
            findings_.warning(
                record.line,
                "TTL " + std::to_string(record.ttl) + " differs from that of the other " +
                    rr_type_name(set.type) + " records of " + set.owner.to_string() + " (" +
                    std::to_string(set.ttl) + "); " + std::to_string(least) + " is taken"
            );
            set.ttl = least;
        }
        set.rdatas.push_back(std::move(record.rdata));
    }

    static std::uint32_t serial_of(const std::vector<std::uint8_t>& soa) {
        // Behind the two names: serial, refresh, retry, expire, minimum.
        const std::uint8_t* const at = soa.data() + soa.size() - 20;
        return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
               at[3];
    }

    /// RFC 2181 section 5: a record stands in a set once. The order of the file stays.
    static void drop_repetitions(RRset& set) {
        if (set.rdatas.size() < 2) return;
        std::vector<std::size_t> order(set.rdatas.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return set.rdatas[a] < set.rdatas[b];
        });
        std::vector<bool> repeated(order.size());
        for (std::size_t i = 1; i < order.size(); ++i)
            repeated[order[i]] = set.rdatas[order[i]] == set.rdatas[order[i - 1]];
        std::vector<std::vector<std::uint8_t>> kept;
        for (std::size_t i = 0; i < repeated.size(); ++i)
            if (!repeated[i]) kept.push_back(std::move(set.rdatas[i]));
        set.rdatas = std::move(kept);
    }

    FindingList& findings_;
    ZoneData zone_;
    std::vector<int> lines_;  // of the first record of each RRset
    std::unordered_map<Name, Owner> owners_;
};

}  // namespace

void FindingList::error(int line, std::string text) {
    if (errors_++ < kMaxFindings)
        findings_.push_back({file_, line, std::move(text), Finding::Severity::error});
}

void FindingList::warning(int line, std::string text) {
    if (warnings_++ < kMaxFindings)
        findings_.push_back({file_, line, std::move(text), Finding::Severity::warning});
}

std::vector<Finding> FindingList::take() && {
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
        return a.line < b.line;
    });
    return std::move(findings_);
}

ZoneData assemble(
    const Name& origin,
    std::vector<Record> records,
    const std::vector<std::uint16_t>& failed,
    FindingList& findings
) {
    Assembly assembly(origin, findings);
    for (Record& record : records) assembly.add(std::move(record));
    assembly.check_apex(failed);
    assembly.check_cnames();
    return assembly.take();
}

}  // namespace twinsite::gslb::zone
