// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/zone/signing_fixture.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <ldns/ldns.h>

#include "gslb/zone/canonical.hpp"
#include "gslb/zone/denial_chain.hpp"
#include "gslb/zone/loader.hpp"
#include "gslb/zone/rdata_text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone::test {

namespace {

namespace type = wire::dns::type;
using wire::dns::Name;

struct FreeList {
    void operator()(ldns_rr_list* list) const { ldns_rr_list_deep_free(list); }
};
using List = std::unique_ptr<ldns_rr_list, FreeList>;

void add(ldns_rr_list* list, const RRset& set) {
    for (const auto& rdata : set.rdatas) {
        std::vector<std::uint8_t> wire(set.owner.wire().begin(), set.owner.wire().end());
        append_u16(wire, set.type);
        append_u16(wire, 1);
        append_u32(wire, set.ttl);
        append_u16(wire, static_cast<std::uint16_t>(rdata.size()));
        append_bytes(wire, rdata);
        ldns_rr* rr = nullptr;
        std::size_t at = 0;
        ASSERT_EQ(
            ldns_wire2rr(&rr, wire.data(), wire.size(), &at, LDNS_SECTION_ANSWER), LDNS_STATUS_OK
        ) << set.owner.to_string()
          << " " << set.type;
        ldns_rr_list_push_rr(list, rr);
    }
}

List list_of(const RRset& set) {
    List out(ldns_rr_list_new());
    add(out.get(), set);
    return out;
}

std::string judge_lists(
    const RRset& set, const std::vector<std::uint8_t>& rrsig, ldns_rr_list* keys, UnixTime now
) {
    const auto records = list_of(set);
    RRset signature{set.owner, type::rrsig, set.ttl, {rrsig}};
    const auto signatures = list_of(signature);
    const List good(ldns_rr_list_new());
    const auto status = ldns_verify_rrsig_keylist_time(
        records.get(), ldns_rr_list_rr(signatures.get(), 0), keys, now, nullptr
    );
    return status == LDNS_STATUS_OK ? "" : ldns_get_errorstr_by_id(status);
}

Name name_of(const std::string& text) {
    return *wire::dns::parse_name(text);
}

}  // namespace

ZoneData load_zone(const std::string& text) {
    std::istringstream in(
        "$TTL 300\n@ 3600 IN SOA ns1 hostmaster 42 1h 15m 1w 60\n@ IN NS ns1\n"
        "ns1 IN A 192.0.2.53\n" +
        text
    );
    auto loaded = load_master(in, "test.zone", name_of("example.net."));
    for (const auto& finding : loaded.findings) ADD_FAILURE() << to_string(finding);
    return *std::move(loaded.zone);
}

ZoneKey make_key(std::uint16_t flags) {
    ZoneKey out;
    auto secret = base::crypto::EcdsaKey::generate();
    EXPECT_TRUE(secret.has_value());
    out.secret = std::make_shared<const base::crypto::EcdsaKey>(*std::move(secret));
    out.public_key = out.secret->public_key();
    out.flags = flags;
    return out;
}

KeySet make_keys() {
    KeySet out;
    out.keys.push_back(make_key(key_flag::zone | key_flag::secure_entry));
    out.keys.back().signs_keys = true;
    out.keys.back().announced = true;
    out.keys.push_back(make_key(key_flag::zone));
    out.keys.back().signs_data = true;
    return out;
}

const RRset* find_set(const ZoneData& zone, const std::string& owner, std::uint16_t rr_type) {
    for (const auto& set : zone.rrsets)
        if (set.owner == name_of(owner) && set.type == rr_type) return &set;
    return nullptr;
}

std::vector<std::vector<std::uint8_t>> signatures_of(
    const ZoneData& zone, const std::string& owner, std::uint16_t rr_type
) {
    std::vector<std::vector<std::uint8_t>> out;
    if (const auto* all = find_set(zone, owner, type::rrsig))
        for (const auto& rdata : all->rdatas)
            if (decode_signature(rdata, kNow)->type_covered == rr_type) out.push_back(rdata);
    return out;
}

std::string bitmap_of(const ZoneData& zone, const std::string& owner) {
    const DenialChain chain(zone);
    const auto* link = chain.find(name_of(owner));
    if (!link) return "none";
    std::string out;
    for (const auto each : link->types) out += (out.empty() ? "" : " ") + rr_type_name(each);
    return out;
}

std::vector<std::string> judge(const ZoneData& zone, UnixTime now) {
    std::vector<std::string> out;
    const auto* keys = find_set(zone, zone.origin.to_string(), type::dnskey);
    if (!keys) return {"no DNSKEY"};
    const auto key_list = list_of(*keys);
    std::vector<Name> cuts;
    for (const auto& set : zone.rrsets)
        if ((set.type == type::ns && set.owner != zone.origin) || set.type == type::dname)
            cuts.push_back(set.owner);
    const auto is_signed = [&](const RRset& set) {
        return std::none_of(cuts.begin(), cuts.end(), [&](const Name& cut) {
            if (set.owner != cut) return set.owner.is_at_or_below(cut);
            return set.type == type::ns || set.type == type::a || set.type == type::aaaa;
        });
    };
    for (const auto& set : zone.rrsets) {
        if (set.type == type::rrsig) continue;
        const auto where = set.owner.to_string() + " " + rr_type_name(set.type);
        const auto signatures = signatures_of(zone, set.owner.to_string(), set.type);
        if (!is_signed(set)) {
            if (!signatures.empty()) out.push_back(where + ": signed, but not of this zone");
            continue;
        }
        if (signatures.empty()) out.push_back(where + ": not signed");
        for (const auto& rrsig : signatures)
            if (const auto why = judge_lists(set, rrsig, key_list.get(), now); !why.empty())
                out.push_back(where + ": " + why);
    }
    return out;
}

std::string judge_set(
    const RRset& set, const std::vector<std::uint8_t>& rrsig, const ZoneKey& key, UnixTime now
) {
    RRset keys{name_of("example.net."), type::dnskey, 3600, {key.dnskey()}};
    return judge_lists(set, rrsig, list_of(keys).get(), now);
}

}  // namespace twinsite::gslb::zone::test
