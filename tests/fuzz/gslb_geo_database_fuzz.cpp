// SPDX-License-Identifier: Apache-2.0
// Any bytes as a database of networks: the walk must come back, and what it gives must be blocks
// side by side. The rest of the input, as rdata of SVCB, must come back with hints or as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>

#include <unistd.h>

#include "gslb/steering/geo_database.hpp"
#include "gslb/steering/svcb_hints.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace twinsite::gslb::steering;
    const int file = memfd_create("geo", 0);
    if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
    GeoRules rules;
    rules.rules.push_back({"EU", "", "", "", 0, {1}});
    rules.rules.push_back({"", "DE", "", "", 0, {2}});
    rules.rules.push_back({"", "", "", "", 64500, {0}});
    rules.sites = {{0, {52.5, 13.4}}, {1, {48.9, 2.4}}};
    const auto geo = load_geo("/proc/self/fd/" + std::to_string(file), rules);
    close(file);
    if (!geo.problem.empty() && !geo.layer.empty()) std::abort();
    const PrefixLayer::Item* before = nullptr;
    for (const auto& item : geo.layer.items) {
        if (item.list >= geo.layer.lists.size()) std::abort();
        if (before != nullptr && before->prefix.address.family == item.prefix.address.family &&
            before->prefix.contains(item.prefix.address))
            std::abort();
        before = &item;
    }
    const auto address = twinsite::base::text::IpAddress::from_v4(0xc0000201);
    const auto once = with_hints({data, size}, {&address, 1});
    if (with_hints(once, {&address, 1}) != once) std::abort();
    return 0;
}
