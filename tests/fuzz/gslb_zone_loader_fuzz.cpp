// SPDX-License-Identifier: Apache-2.0
// Any text as a master file: either errors or a zone whose parts are sound.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "gslb/zone/loader.hpp"
#include "gslb/zone/rdata_form.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace twinsite;
    static const wire::dns::Name origin = *wire::dns::parse_name("example.net");
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    const gslb::zone::Loaded loaded = gslb::zone::load_master(in, "fuzz", origin);
    if (loaded.findings.size() > 2 * gslb::zone::kMaxFindings) std::abort();
    if (!loaded.zone) {
        if (loaded.findings.empty()) std::abort();
        return 0;
    }
    for (const auto& set : loaded.zone->rrsets) {
        if (!set.owner.is_at_or_below(origin) || set.rdatas.empty()) std::abort();
        if (set.ttl > 0x7fff'ffff) std::abort();
        for (const auto& rdata : set.rdatas)
            if (!gslb::zone::rdata_form_problem(set.type, rdata).empty()) std::abort();
    }
    return 0;
}
