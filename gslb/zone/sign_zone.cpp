// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/sign_zone.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "gslb/zone/denial_chain.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace type = wire::dns::type;
using wire::dns::Name;

constexpr std::array<std::uint16_t, 7> kMade{
    type::rrsig, type::nsec, type::nsec3, type::nsec3param, type::dnskey, type::cds, type::cdnskey
};

bool is_made(std::uint16_t rr_type) {
    return std::find(kMade.begin(), kMade.end(), rr_type) != kMade.end();
}

bool is_of_keys(std::uint16_t rr_type) {
    return rr_type == type::dnskey || rr_type == type::cds || rr_type == type::cdnskey;
}

/// Text that sorts as names do (RFC 4034 section 6.1), and whose beginnings are the names above.
/// Labels from the right, each ended by a zero; bytes 0 and 1 are written as two.
std::string canonical_key(const Name& name) {
    const Name lowered = name.lowered();
    const auto labels = lowered.labels();
    std::string out;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
        for (const char c : *label) {
            const bool low = c == '\0' || c == '\1';
            if (low) out.push_back('\1');
            out.push_back(low ? static_cast<char>(c + 1) : c);
        }
        out.push_back('\0');
    }
    return out;
}

/// A name of the zone with its RRsets.
struct Place {
    Name name;
    std::vector<std::size_t> sets;  ///< in ZoneData::rrsets
    std::vector<std::uint16_t> types;
    bool is_cut = false;
    bool is_occluded = false;  ///< below a cut or a DNAME: not of this zone
};

/// An RRset as it was signed before.
struct Earlier {
    const RRset* set = nullptr;
    std::vector<const std::vector<std::uint8_t>*> signatures;
};

std::uint32_t u32_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
           std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

/// What sign_zone made last time, by owner and type.
class Previous {
public:
    explicit Previous(const ZoneData* zone) {
        if (!zone) return;
        for (const RRset& set : zone->rrsets) {
            if (set.type == type::dnskey) keys_ = set.rdatas;
            if (set.type == type::rrsig)
                add_signatures(set);
            else
                sets_[set.owner][set.type].set = &set;
        }
    }

    /// The signature of the same content by this key, when it is fresh; else null.
    const std::vector<std::uint8_t>* find(
        const RRset& set, const ZoneKey& key, const SignatureTimes& times
    ) const {
        const auto owner = sets_.find(set.owner);
        if (owner == sets_.end()) return nullptr;
        const auto earlier = owner->second.find(set.type);
        if (earlier == owner->second.end() || !earlier->second.set ||
            earlier->second.set->ttl != set.ttl || earlier->second.set->rdatas != set.rdatas)
            return nullptr;
        if (std::find(keys_.begin(), keys_.end(), key.dnskey()) == keys_.end()) return nullptr;
        for (const auto* rdata : earlier->second.signatures) {
            const auto fields = decode_signature(*rdata, times.now);
            if (fields && fields->tag == key.tag() &&
                times.is_fresh(fields->inception, fields->expiration))
                return rdata;
        }
        return nullptr;
    }

private:
    void add_signatures(const RRset& set) {
        for (const auto& rdata : set.rdatas) {
            const auto fields = decode_signature(rdata, 0);
            if (fields) sets_[set.owner][fields->type_covered].signatures.push_back(&rdata);
        }
    }

    std::unordered_map<Name, std::map<std::uint16_t, Earlier>> sets_;
    Rdatas keys_;
};

/// The work of one call of sign_zone.
class Signing {
public:
    Signing(const KeySet& keys, const SignParameters& parameters, const ZoneData* previous)
        : keys_(keys), parameters_(parameters), previous_(previous) {}

    SignedZone sign(const ZoneData& from) {
        out_.refresh_at = std::numeric_limits<UnixTime>::max();
        out_.problem = keys_.problem();
        if (out_.problem.empty()) begin(from);
        if (out_.problem.empty()) make_chain();
        if (out_.problem.empty()) sign_all();
        if (out_.problem.empty()) out_.zone = std::move(zone_);
        return std::move(out_);
    }

private:
    void begin(const ZoneData& from) {
        zone_.origin = from.origin;
        zone_.serial = from.serial;
        for (const RRset& set : from.rrsets)
            if (!is_made(set.type)) zone_.rrsets.push_back(set);
        add_keys();
        for (std::size_t i = 0; i < zone_.rrsets.size(); ++i) {
            const RRset& set = zone_.rrsets[i];
            place_of(set.owner).sets.push_back(i);
            place_of(set.owner).types.push_back(set.type);
            if (set.type == type::soa && set.rdatas.front().size() > 4)
                negative_ttl_ =
                    std::min(set.ttl, u32_at(set.rdatas.front(), set.rdatas.front().size() - 4));
        }
        add_steered();
        find_occluded();
    }

    Place& place_of(const Name& name) {
        Place& out = places_[canonical_key(name)];
        if (out.sets.empty() && out.types.empty()) out.name = name;
        return out;
    }

    void add_set(const Name& owner, std::uint16_t rr_type, std::uint32_t ttl, Rdatas rdatas) {
        if (!rdatas.empty()) zone_.rrsets.push_back({owner, rr_type, ttl, std::move(rdatas)});
    }

    void add_keys() {
        Rdatas keys;
        Rdatas cds;
        Rdatas cdnskey;
        const Name lowered = zone_.origin.lowered();
        const std::vector<std::uint8_t> origin(lowered.wire().begin(), lowered.wire().end());
        for (const ZoneKey& key : keys_.keys) {
            if (key.published) keys.push_back(key.dnskey());
            if (!key.announced) continue;
            cds.push_back(key.ds(origin));
            cdnskey.push_back(key.dnskey());
        }
        add_set(zone_.origin, type::dnskey, keys_.dnskey_ttl, std::move(keys));
        // Without a signature by a KSK they could never be believed (RFC 7344 section 4.1).
        if (can_sign(type::cds) && can_sign(type::cdnskey)) {
            add_set(zone_.origin, type::cds, keys_.dnskey_ttl, std::move(cds));
            add_set(zone_.origin, type::cdnskey, keys_.dnskey_ttl, std::move(cdnskey));
        }
        if (parameters_.denial == Denial::nsec3)
            add_set(zone_.origin, type::nsec3param, 0, {{1, 0, 0, 0, 0}});
    }

    bool can_sign(std::uint16_t rr_type) const {
        const auto here = [](const ZoneKey& key) { return key.signs_keys && key.secret; };
        if (std::any_of(keys_.keys.begin(), keys_.keys.end(), here)) return true;
        return std::any_of(keys_.premade.begin(), keys_.premade.end(), [&](const auto& rdata) {
            const auto fields = decode_signature(rdata, parameters_.times.now);
            return fields && fields->type_covered == rr_type;
        });
    }

    void add_steered() {
        for (const SteeredName& steered : parameters_.steered) {
            if (!steered.name.is_at_or_below(zone_.origin)) continue;
            Place& place = place_of(steered.name);
            // A name that is an alias at times only: a bitmap with CNAME would deny nothing else.
            const bool alias_only =
                std::all_of(steered.types.begin(), steered.types.end(), [](std::uint16_t each) {
                    return each == type::cname;
                });
            for (const std::uint16_t each : steered.types)
                if (each != type::cname || alias_only) place.types.push_back(each);
        }
    }

    void find_occluded() {
        std::string_view above;  // the key of the last cut or DNAME
        for (auto& [key, place] : places_) {
            if (!above.empty() && key.starts_with(above)) {
                place.is_occluded = true;
                continue;
            }
            const auto has = [&types = place.types](std::uint16_t wanted) {
                return std::find(types.begin(), types.end(), wanted) != types.end();
            };
            place.is_cut = has(type::ns) && place.name != zone_.origin;
            if (place.is_cut || has(type::dname)) above = key;
        }
    }

    void make_chain() {
        std::map<std::string, ChainName> names;
        for (const auto& [key, place] : places_) {
            if (place.is_occluded) continue;
            names[key] = chain_name(place);
            if (parameters_.denial == Denial::nsec3) add_empty(place.name, names);
        }
        std::vector<ChainName> list;
        for (auto& [key, name] : names) list.push_back(std::move(name));
        auto chain = parameters_.denial == Denial::nsec
                         ? make_nsec_chain(list, negative_ttl_)
                         : make_nsec3_chain(list, zone_.origin, negative_ttl_);
        if (chain.empty())
            out_.problem = "the hashes of two names are equal, or a name is too long";
        chain_ = std::move(chain);
    }

    static ChainName chain_name(const Place& place) {
        ChainName out{place.name, place.types, true};
        if (!place.is_cut) return out;
        const bool secure =
            std::find(place.types.begin(), place.types.end(), type::ds) != place.types.end();
        out.types = {type::ns};
        if (secure) out.types.push_back(type::ds);
        out.has_signature = secure;
        return out;
    }

    /// Names between `name` and the origin that have no records (RFC 5155 section 7.1).
    void add_empty(const Name& name, std::map<std::string, ChainName>& names) const {
        for (Name above = name; above != zone_.origin;) {
            above = above.parent();
            auto key = canonical_key(above);
            if (places_.contains(key)) return;
            if (!names.emplace(std::move(key), ChainName{above, {}, false}).second) return;
        }
    }

    void sign_all() {
        for (const auto& [key, place] : places_) {
            if (place.is_occluded) continue;
            for (const std::size_t index : place.sets) {
                const RRset& set = zone_.rrsets[index];
                if (place.is_cut && set.type != type::ds) continue;
                if (is_of_keys(set.type))
                    sign_keys(set);
                else
                    sign_by(set, *keys_.data_key());
            }
        }
        for (const RRset& set : chain_) sign_by(set, *keys_.data_key());
        // One RRset of RRSIGs per owner (RFC 4034 section 3 has no such RRset; see the header).
        for (auto& [owner, signatures] : signatures_)
            zone_.rrsets.push_back(
                {owner, type::rrsig, signatures.ttl, std::move(signatures.rdatas)}
            );
        std::move(chain_.begin(), chain_.end(), std::back_inserter(zone_.rrsets));
    }

    void sign_by(const RRset& set, const ZoneKey& key) {
        const auto& times = parameters_.times;
        if (const auto* earlier = previous_.find(set, key, times)) {
            ++out_.reused;
            keep(set, *earlier);
            return;
        }
        auto made = sign_rrset(
            set.owner,
            make_signed_content(set.type, set.ttl, set.rdatas),
            zone_.origin,
            key,
            times.inception(),
            times.expiration(set.owner, set.type)
        );
        if (!made) {
            out_.problem = "cannot sign " + set.owner.to_string() + ": " + made.error().message();
            return;
        }
        ++out_.made;
        keep(set, *std::move(made));
    }

    void keep(const RRset& set, std::vector<std::uint8_t> rdata) {
        const auto fields = decode_signature(rdata, parameters_.times.now);
        if (fields)
            out_.refresh_at =
                std::min(out_.refresh_at, fields->expiration - parameters_.times.refresh.count());
        auto [at, fresh] = signatures_.try_emplace(set.owner);
        at->second.ttl = fresh ? set.ttl : std::min(at->second.ttl, set.ttl);
        at->second.rdatas.push_back(std::move(rdata));
    }

    void sign_keys(const RRset& set) {
        bool covered = false;
        for (const ZoneKey& key : keys_.keys) {
            if (!key.signs_keys || !key.published) continue;
            if (key.secret)
                sign_by(set, key);
            else if (!keep_premade(set, key))
                continue;
            covered = true;
        }
        if (!covered && out_.problem.empty())
            out_.problem = "no signature made elsewhere is valid now for the set of " +
                           wire::dns::type_to_string(set.type) + " as it stands";
    }

    bool keep_premade(const RRset& set, const ZoneKey& key) {
        const auto content = make_signed_content(set.type, set.ttl, set.rdatas);
        const UnixTime now = parameters_.times.now;
        bool found = false;
        for (const auto& rdata : keys_.premade) {
            const auto fields = decode_signature(rdata, now);
            if (!fields || fields->signer != zone_.origin || fields->inception > now ||
                fields->expiration <= now || !verify_rrset(set.owner, content, rdata, key))
                continue;
            keep(set, rdata);
            found = true;
        }
        return found;
    }

    struct Signatures {
        std::uint32_t ttl = 0;
        Rdatas rdatas;
    };

    // fixed after construction
    const KeySet& keys_;
    const SignParameters& parameters_;
    const Previous previous_;
    // grow
    SignedZone out_;
    ZoneData zone_;
    std::map<std::string, Place> places_;  ///< in canonical order
    std::uint32_t negative_ttl_ = 0;       ///< RFC 9077
    std::vector<RRset> chain_;
    std::unordered_map<Name, Signatures> signatures_;
};

}  // namespace

SignedZone sign_zone(
    const ZoneData& unsigned_zone,
    const KeySet& keys,
    const SignParameters& parameters,
    const ZoneData* previous
) {
    return Signing(keys, parameters, previous).sign(unsigned_zone);
}

ZoneData with_serial(ZoneData zone, std::uint32_t serial) {
    constexpr std::size_t kTail = 20;  // serial and four times, at the end of a SOA
    zone.serial = serial;
    for (RRset& set : zone.rrsets) {
        if (set.type != type::soa || set.rdatas.front().size() < kTail) continue;
        auto& rdata = set.rdatas.front();
        for (std::size_t i = 0; i < 4; ++i)
            rdata[rdata.size() - kTail + i] = static_cast<std::uint8_t>(serial >> (24 - 8 * i));
    }
    return zone;
}

}  // namespace twinsite::gslb::zone
