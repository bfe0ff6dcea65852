// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone_signing.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "gslb/control/key_store.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb {
namespace {

namespace json = boost::json;
namespace type = wire::dns::type;
using base::text::Family;
using Part = std::shared_ptr<const SignedPart>;

bool has_address(const std::vector<base::text::IpAddress>& addresses, Family family) {
    return std::any_of(addresses.begin(), addresses.end(), [&](const auto& address) {
        return address.family == family;
    });
}

/// Whether any target, or the last resort, has a record of the type.
bool is_answerable(
    const steering::Policy& policy, const steering::Service& service, std::uint16_t rr_type
) {
    const auto has = [&](const auto& of) {
        if (rr_type == type::a && has_address(of.addresses, Family::v4)) return true;
        if (rr_type == type::aaaa && has_address(of.addresses, Family::v6)) return true;
        return std::any_of(of.records.begin(), of.records.end(), [&](const auto& record) {
            return record.type == rr_type;
        });
    };
    return std::any_of(service.targets.begin(), service.targets.end(), has) ||
           has(policy.last_resort);
}

std::uint32_t largest_ttl(const zone::ZoneData& zone) {
    std::uint32_t out = 0;
    for (const auto& set : zone.rrsets) out = std::max(out, set.ttl);
    return out;
}

/// Serial number arithmetic (RFC 1982 section 3.2).
bool is_ahead(std::uint32_t serial, std::uint32_t of) {
    return static_cast<std::int32_t>(serial - of) > 0;
}

/// The zone signed with a serial that secondaries understand.
zone::SignedZone sign_with_serial(
    const zone::ZoneData& source,
    const zone::KeySet& keys,
    const zone::SignParameters& how,
    const SignedPart* previous,
    std::optional<std::uint32_t> last_serial
) {
    const auto* earlier = previous ? previous->zone.get() : nullptr;
    if (earlier) last_serial = earlier->serial;
    if (!last_serial || is_ahead(source.serial, *last_serial))
        return zone::sign_zone(source, keys, how, earlier);
    if (earlier) {
        auto same = zone::sign_zone(zone::with_serial(source, *last_serial), keys, how, earlier);
        // A set that is gone leaves another bitmap behind, so its loss shows here too.
        const bool changed =
            same.made > 0 || !same.zone || same.zone->rrsets.size() != earlier->rrsets.size();
        if (!changed) return same;
    }
    return zone::sign_zone(zone::with_serial(source, *last_serial + 1), keys, how, earlier);
}

}  // namespace

std::vector<zone::SteeredName> answerable_names(
    const steering::Steering& steering, const std::vector<wire::dns::Name>& owners
) {
    std::vector<zone::SteeredName> out;
    for (std::size_t i = 0; i < steering.policies.size() && i < owners.size(); ++i) {
        const auto& policy = steering.policies[i];
        zone::SteeredName name{owners[i], {}};
        for (const auto each : steering::steered_types(policy, steering))
            if (is_answerable(policy, steering.services[policy.service], each))
                name.types.push_back(each);
        out.push_back(std::move(name));
    }
    return out;
}

std::variant<Part, std::string> sign_part(
    const zone::ZoneData& source,
    const DnssecConfig& config,
    const SigningInputs& inputs,
    const SignedPart* previous,
    std::optional<std::uint32_t> last_serial
) {
    const control::KeyStore store(config.keys);
    auto loaded = store.load(source.origin, static_cast<std::uint32_t>(config.dnskey_ttl.count()));
    if (auto* wrong = std::get_if<std::string>(&loaded)) return std::move(*wrong);
    auto& keys = std::get<control::KeyStore::Keys>(loaded);

    zone::SignParameters how;
    how.times.now = inputs.now;
    how.times.validity = config.validity;
    how.times.refresh = config.refresh;
    how.times.jitter = config.jitter;
    how.denial = config.hashed_denial ? zone::Denial::nsec3 : zone::Denial::nsec;
    how.steered = inputs.steered;
    auto made = sign_with_serial(source, *keys.set, how, previous, last_serial);
    if (!made.zone) return "zone " + source.origin.to_string() + ": " + made.problem;

    auto out = std::make_shared<SignedPart>();
    out->config = config;
    out->book = std::move(keys.book);
    out->times = {
        config.dnskey_ttl,
        config.propagation,
        std::chrono::seconds(std::max(largest_ttl(source), inputs.steered_ttl)),
        config.ds_ttl
    };
    out->keys = keys.set;
    out->chain = std::make_shared<const zone::DenialChain>(*made.zone);
    out->zone = std::make_shared<const zone::ZoneData>(*std::move(made.zone));
    out->signer = std::make_shared<zone::VariantSigner>(out->keys, out->chain, how.times);
    out->made = made.made;
    out->reused = made.reused;
    out->refresh_at = made.refresh_at;
    return Part(std::move(out));
}

const SignedPart* find_part(const SignedParts& parts, const wire::dns::Name& origin) {
    for (const auto& part : parts)
        if (part->zone->origin == origin) return part.get();
    return nullptr;
}

std::string encode_serials(const SignedParts& parts) {
    json::object out;
    for (const auto& part : parts)
        out[part->zone->origin.lowered().to_string()] = part->zone->serial;
    return json::serialize(out) + "\n";
}

Serials decode_serials(const std::string& text) {
    Serials out;
    boost::system::error_code failed;
    const auto parsed = json::parse(text, failed);
    if (failed || !parsed.is_object()) return out;
    for (const auto& [zone, serial] : parsed.get_object())
        if (const auto* number = serial.if_int64(); number && *number >= 0 && *number <= 0xffffffff)
            out.emplace_back(std::string(zone), static_cast<std::uint32_t>(*number));
    return out;
}

}  // namespace twinsite::gslb
