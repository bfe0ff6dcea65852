// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/reader.hpp"

namespace twinsite::wire::dns {

void Reader::skip_name() {
    for (;;) {
        const std::uint8_t length = u8();
        if (failed_ || length == 0) return;
        if (length >= 0xC0) {
            u8();
            return;
        }
        if (length > kMaxLabelBytes) {
            failed_ = true;
            return;
        }
        bytes(length);
    }
}

Record read_record(Reader& reader) {
    Record out;
    out.owner = reader.name();
    out.type = reader.u16();
    out.klass = reader.u16();
    out.ttl = reader.u32();
    const std::uint16_t size = reader.u16();
    out.rdata_offset = reader.offset();
    out.rdata = reader.bytes(size);
    return out;
}

}  // namespace twinsite::wire::dns
