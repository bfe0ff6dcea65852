// SPDX-License-Identifier: Apache-2.0
// A name anywhere in a message: the first byte is the offset, the rest the message.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error/check.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/name_key.hpp"

using namespace twinsite::wire::dns;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::span<const std::uint8_t> message(data + 1, size - 1);
    std::size_t offset = data[0];
    const std::size_t start = offset;
    if (const auto name = decode_name(message, offset)) {
        BASE_CHECK(offset > start && offset <= message.size());
        BASE_CHECK(name->size_bytes() <= kMaxNameBytes && name->label_count() < kMaxLabels);
        BASE_CHECK(parse_name(name->to_string()).value() == *name);
        std::size_t again = 0;
        BASE_CHECK(decode_name(name->wire(), again).value() == *name);
        BASE_CHECK(make_key(*name).hash == make_key(name->lowered()).hash);
    } else {
        BASE_CHECK(offset == start);
    }
    const auto text = parse_name({reinterpret_cast<const char*>(data), size});
    if (text) BASE_CHECK(parse_name(text->to_string()).value() == *text);
    return 0;
}
