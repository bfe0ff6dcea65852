// SPDX-License-Identifier: Apache-2.0
// Any bytes as what signing reads: books of keys, signatures made elsewhere, bitmaps, RRSIG rdata.
// What is taken must come back from its own encoding.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>

#include "gslb/zone/canonical.hpp"
#include "gslb/zone/denial_chain.hpp"
#include "gslb/zone/key_book_file.hpp"
#include "gslb/zone/premade_text.hpp"
#include "gslb/zone/signature.hpp"

namespace {

using namespace twinsite::gslb::zone;

void try_book(std::string_view text) {
    const auto read = decode_key_book(text);
    const auto* book = std::get_if<KeyBook>(&read);
    if (!book) {
        if (std::get<std::string>(read).empty()) std::abort();
        return;
    }
    const auto again = decode_key_book(encode_key_book(*book));
    const auto* same = std::get_if<KeyBook>(&again);
    if (!same || *same != *book) std::abort();
}

void try_bytes(std::span<const std::uint8_t> bytes) {
    if (const auto types = decode_bitmap(bytes))
        if (decode_bitmap(encode_bitmap(*types)) != types) std::abort();
    const auto fields = decode_signature(bytes, 1'800'000'000);
    if (fields && fields->signature.size() > bytes.size()) std::abort();
    for (const std::uint16_t type : {2, 6, 15, 33, 35, 39})
        if (canonical_rdata(type, bytes).size() != bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const twinsite::wire::dns::Name zone = *twinsite::wire::dns::parse_name("example.net");
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try_book(text);
    try_bytes({data, size});
    const auto premade = read_premade(text, zone);
    if (const auto* rdatas = std::get_if<Rdatas>(&premade))
        for (const auto& rdata : *rdatas)
            if (!decode_signature(rdata, 0)) std::abort();
    return 0;
}
