// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/negative.hpp"

namespace twinsite::gslb::answer {

void write_far_owners(
    Draft& draft, const zone::Proof& proof, std::uint8_t* to, std::uint16_t apex
) {
    draft.at = static_cast<std::size_t>(to - draft.out) + proof.first_signature_at;
    const std::uint8_t* const from = proof.bytes();
    for (std::size_t at = proof.first_signature_at; at < proof.size_bytes;) {
        const std::size_t rest = 10 + std::size_t{wire::dns::load16(from + at + 10)};
        std::uint8_t* const owner = append(draft, from, proof.label_bytes);
        std::uint8_t* const fields = extend(draft, 2 + rest);
        if (owner == nullptr || fields == nullptr) return;
        wire::dns::store16(fields, apex);
        std::memcpy(fields + 2, from + at + 2, rest);
        at += 2 + rest;
    }
}

}  // namespace twinsite::gslb::answer
