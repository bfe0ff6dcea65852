// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/draft.hpp"

namespace twinsite::gslb::answer {

namespace dns = wire::dns;
using dns::Query;
using dns::Rcode;

std::size_t header_only(const Query& query, Rcode rcode, Counters& counters, std::uint8_t* out) {
    const unsigned opcode = query.flags & dns::flag::opcode_mask;
    std::fill_n(out, dns::kHeaderBytes, std::uint8_t{0});
    std::copy_n(query.packet, 2, out);
    dns::store16(
        out + 2, static_cast<std::uint16_t>(dns::flag::qr | opcode | static_cast<unsigned>(rcode))
    );
    count_rcode(counters, static_cast<unsigned>(rcode));
    return dns::kHeaderBytes;
}

}  // namespace twinsite::gslb::answer
