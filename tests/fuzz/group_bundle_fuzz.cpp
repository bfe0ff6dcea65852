// SPDX-License-Identifier: Apache-2.0
// Any bytes as a bundle's content and as the book of versions: refused, or written and read again
// without a change. A path that comes out never leaves its folder.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "gslb/group/bundle.hpp"
#include "gslb/group/intent_book.hpp"

namespace group = twinsite::gslb::group;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto files = group::unpack(text)) {
        BASE_CHECK(group::pack(*files) == text);
        for (const auto& [path, content] : *files) {
            BASE_CHECK(!path.empty() && path.front() != '/');
            BASE_CHECK(("/" + path).find("/.") == std::string::npos);
        }
    }
    if (const auto book = group::IntentBook::from_json_text(text)) {
        const auto again = group::IntentBook::from_json_text(book->to_json_text());
        BASE_CHECK(again && *again == *book);
    }
    return 0;
}
