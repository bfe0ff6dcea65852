// SPDX-License-Identifier: Apache-2.0
// Any text: the table reader must not fail otherwise than by findings, and the map made of what it
// read must answer for the first address of each entry with a block no wider than can be.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gslb/steering/prefix_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace twinsite::gslb::steering;
    static const std::vector<std::string> sites{"east", "west", "north"};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const PrefixTable table = parse_prefix_table(text, sites);
    if (table.findings.size() > kMaxTableFindings) std::abort();
    // A map costs half a megabyte of index: only now and then, so that many inputs are tried.
    if (size % 8 != 0) return 0;
    const PrefixMap map(table.entries, {});
    for (const PrefixEntry& entry : table.entries) {
        const auto match = map.find(entry.prefix.address);
        if (match.class_id >= map.classes().size()) std::abort();
        if (match.depth > entry.prefix.address.bits()) std::abort();
    }
    return 0;
}
