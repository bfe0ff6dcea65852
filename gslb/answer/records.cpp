// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/records.hpp"

#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {

namespace type = wire::dns::type;

bool append_signatures(
    Draft& draft,
    const zone::Index& index,
    const zone::Node& node,
    std::uint16_t owner,
    std::uint16_t but_type
) {
    bool any = false;
    for (const zone::Blob& blob : index.blobs(node)) {
        if (blob.signatures == 0 || blob.type == but_type) continue;
        const std::uint8_t* const from = index.bytes(blob) + blob.size_bytes;
        std::uint8_t* const to = append(draft, from, blob.signature_bytes);
        take_as_answers(draft, to, blob.signature_bytes, blob.signatures, owner);
        any = true;
    }
    return any;
}

bool append_any_steered(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const zone::Node& node,
    std::uint16_t owner
) {
    const unsigned types = snapshot.index().steered_types(node);
    for (const std::uint16_t one :
         {type::a,
          type::aaaa,
          type::cname,
          type::srv,
          type::naptr,
          type::svcb,
          type::https,
          type::txt})
        if ((types & zone::steerable_bit(one)) != 0 &&
            append_type(context, snapshot, draft, node, one, owner))
            return true;
    return false;
}

}  // namespace twinsite::gslb::answer
