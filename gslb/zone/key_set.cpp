// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/key_set.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/crypto/digest.hpp"
#include "gslb/zone/canonical.hpp"

namespace twinsite::gslb::zone {

namespace {

constexpr std::uint8_t kProtocol = 3;      // RFC 4034 section 2.1.2
constexpr std::uint8_t kDigestSha256 = 2;  // RFC 4509

std::string_view text_of(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::uint8_t> ZoneKey::dnskey() const {
    std::vector<std::uint8_t> out;
    append_u16(out, flags);
    out.push_back(kProtocol);
    out.push_back(kEcdsaP256Sha256);
    append_bytes(out, public_key);
    return out;
}

std::uint16_t ZoneKey::tag() const {
    std::uint32_t sum = 0;
    const auto rdata = dnskey();
    for (std::size_t i = 0; i < rdata.size(); ++i)
        sum += i % 2 == 0 ? std::uint32_t{rdata[i]} << 8 : rdata[i];
    return static_cast<std::uint16_t>(sum + (sum >> 16));
}

std::vector<std::uint8_t> ZoneKey::ds(const std::vector<std::uint8_t>& origin) const {
    auto hashed = origin;
    append_bytes(hashed, dnskey());
    std::vector<std::uint8_t> out;
    append_u16(out, tag());
    out.push_back(kEcdsaP256Sha256);
    out.push_back(kDigestSha256);
    const auto digest = base::crypto::sha256(text_of(hashed));
    out.insert(out.end(), digest.begin(), digest.end());
    return out;
}

const ZoneKey* KeySet::data_key() const {
    for (const auto& key : keys)
        if (key.signs_data && key.published && key.secret) return &key;
    return nullptr;
}

std::string KeySet::problem() const {
    if (!data_key()) return "no key that is here signs data";
    const auto signing =
        std::count_if(keys.begin(), keys.end(), [](const ZoneKey& key) { return key.signs_data; });
    if (signing > 1) return "more than one key signs data";
    const bool entry = std::any_of(keys.begin(), keys.end(), [](const ZoneKey& key) {
        return key.published && key.is_secure_entry() && key.signs_keys;
    });
    if (!entry) return "no key signs the set of keys";
    std::set<std::uint16_t> tags;
    for (const auto& key : keys)
        if (key.published && !tags.insert(key.tag()).second)
            return "two keys have the tag " + std::to_string(key.tag());
    return "";
}

}  // namespace twinsite::gslb::zone
