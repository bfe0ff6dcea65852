// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/signature_text.hpp"

#include "base/crypto/base64.hpp"
#include "gslb/zone/signature.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

std::string signature_line(
    const wire::dns::Name& owner, std::uint32_t ttl, std::span<const std::uint8_t> rdata
) {
    const auto fields = decode_signature(rdata, UnixTime{1} << 31);
    if (!fields) return "";
    std::string out = owner.to_string() + " " + std::to_string(ttl) + " IN RRSIG " +
                      wire::dns::type_to_string(fields->type_covered);
    for (const auto number :
         {UnixTime{fields->algorithm},
          UnixTime{fields->labels},
          UnixTime{fields->original_ttl},
          fields->expiration,
          fields->inception,
          UnixTime{fields->tag}})
        out += " " + std::to_string(number);
    const auto& signature = fields->signature;
    return out + " " + fields->signer.to_string() + " " +
           base::crypto::to_base64(
               {reinterpret_cast<const char*>(signature.data()), signature.size()}
           ) +
           "\n";
}

}  // namespace twinsite::gslb::zone
