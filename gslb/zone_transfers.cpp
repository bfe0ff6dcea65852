// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone_transfers.hpp"

#include <algorithm>

#include "base/crypto/base64.hpp"
#include "base/file/state_file.hpp"
#include "base/text/text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb {
namespace {

namespace dns = wire::dns;
using dns::Name;
using zone::RRset;
using zone::ZoneData;

/// The secret in `file`, or a sentence about what is wrong.
std::string read_secret(const std::string& file, std::string& secret) {
    constexpr std::size_t kLeast = 8;
    constexpr std::size_t kMost = 512;
    const auto text = base::file::read_state_file(file);
    if (!text || !*text) return "file '" + file + "' cannot be read";
    std::string packed;
    for (const char byte : **text)
        if (byte != '\n' && byte != '\r' && byte != ' ' && byte != '\t') packed += byte;
    const auto bytes = base::crypto::from_base64(packed);
    if (!bytes || bytes->size() < kLeast || bytes->size() > kMost)
        return "file '" + file + "' must hold a secret of 8 to 512 bytes in base64";
    secret = *bytes;
    return "";
}

/// The records of a target of one type.
std::vector<std::vector<std::uint8_t>> records_of(
    const steering::Target& target, std::uint16_t type
) {
    std::vector<std::vector<std::uint8_t>> out;
    for (const auto& address : target.addresses) {
        if (!steering::is_address(type)) break;
        const bool v4 = address.family == base::text::Family::v4;
        if ((type == dns::type::a) != v4) continue;
        const auto begin = address.bytes.begin();
        out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(address.size_bytes()));
    }
    for (const auto& record : target.records)
        if (record.type == type) out.push_back(record.rdata);
    return out;
}

std::vector<std::vector<std::uint8_t>> first_site_with(
    const steering::Service& service, const steering::SiteOrder& order, std::uint16_t type
) {
    std::vector<std::vector<std::uint8_t>> out;
    for (const auto site : order) {
        for (const auto& target : service.targets)
            if (target.site == site)
                for (auto& rdata : records_of(target, type)) out.push_back(std::move(rdata));
        if (!out.empty()) break;
    }
    return out;
}

bool is_signed(const ZoneData& zone) {
    return std::any_of(zone.rrsets.begin(), zone.rrsets.end(), [](const RRset& set) {
        return set.type == dns::type::rrsig;
    });
}

/// Whether a zone of the configuration below `origin` has the name.
bool is_of(const Name& name, const Name& origin, const Config& config) {
    if (!name.is_at_or_below(origin)) return false;
    return std::none_of(config.zones.begin(), config.zones.end(), [&](const ZoneConfig& other) {
        return other.origin.size_bytes() > origin.size_bytes() && name.is_at_or_below(other.origin);
    });
}

std::vector<transfer::Peer> make_peers(
    const std::vector<ZonePeerConfig>& from, const std::vector<transfer::KeyPointer>& keys
) {
    std::vector<transfer::Peer> out;
    for (const auto& peer : from)
        out.push_back({peer.address, peer.tsig ? keys.at(*peer.tsig) : nullptr});
    return out;
}

}  // namespace

std::vector<transfer::KeyPointer> read_tsig_keys(const Config& config, const ConfigPlaces& places) {
    std::vector<transfer::KeyPointer> out;
    for (std::size_t i = 0; i < config.tsig_keys.size(); ++i) {
        const auto& wanted = config.tsig_keys[i];
        auto key = std::make_shared<transfer::TsigKey>();
        key->name = wanted.name;
        if (const auto algorithm = transfer::parse_tsig_algorithm(wanted.algorithm))
            key->algorithm = *algorithm;
        const auto wrong = read_secret(wanted.secret_file, key->secret);
        if (!wrong.empty() && i < places.tsig_secrets.size()) places.tsig_secrets[i].error(wrong);
        out.push_back(std::move(key));
    }
    return out;
}

std::vector<RRset> default_rrsets(const Config& config) {
    std::vector<RRset> out;
    const auto& steering = config.steering;
    for (std::size_t i = 0; i < steering.policies.size(); ++i) {
        const auto& policy = steering.policies[i];
        const auto order = steering::default_order(policy, steering);
        for (const auto type : steering::steered_types(policy, steering)) {
            auto rdatas = first_site_with(steering.services[policy.service], order, type);
            if (rdatas.empty()) continue;
            const auto ttl = static_cast<std::uint32_t>(policy.ttl_max.count());
            out.push_back({config.steered_names[i], type, ttl, std::move(rdatas)});
        }
    }
    return out;
}

bool is_transferable(const ZoneConfig& zone) {
    return zone.transfer && (!zone.transfer->allow.empty() || !zone.transfer->notify.empty());
}

ZoneData with_defaults(ZoneData zone, std::span<const RRset> defaults, const Config& config) {
    const bool keep = is_signed(zone);
    for (const auto& wanted : defaults) {
        if (!is_of(wanted.owner, zone.origin, config)) continue;
        const auto found =
            std::find_if(zone.rrsets.begin(), zone.rrsets.end(), [&](const RRset& set) {
                return set.type == wanted.type && set.owner == wanted.owner;
            });
        if (found == zone.rrsets.end())
            zone.rrsets.push_back(wanted);
        else if (!keep)
            *found = wanted;
    }
    return zone;
}

transfer::Settings transfer_settings(
    const Config& config,
    const std::vector<transfer::KeyPointer>& keys,
    const std::vector<std::shared_ptr<const ZoneData>>& served,
    std::vector<zone::SteeredName> steered
) {
    transfer::Settings out;
    out.state_directory = config.state_directory;
    out.keys = keys;
    out.steered = std::move(steered);
    for (std::size_t i = 0; i < config.zones.size(); ++i) {
        const auto& from = config.zones[i];
        auto& zone = out.zones.emplace_back();
        zone.origin = from.origin;
        zone.primaries = make_peers(from.primaries, keys);
        zone.transferable = is_transferable(from);
        if (i < served.size()) zone.served = served[i];
        if (!from.transfer) continue;
        for (const auto& rule : from.transfer->allow)
            zone.allow.push_back({rule.net, rule.tsig ? keys.at(*rule.tsig) : nullptr});
        zone.notify = make_peers(from.transfer->notify, keys);
        zone.journal_bytes = from.transfer->journal_bytes;
    }
    return out;
}

}  // namespace twinsite::gslb
