// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "gslb/transfer/outgoing.hpp"
#include "gslb/transfer/settings.hpp"

namespace twinsite::gslb::transfer {

/// What each zone that others may have was before: makes the differences for IXFR, and keeps them
/// on disk, so that a restart or a changed file does not cost every secondary the whole zone.
/// One thread.
class ServedHistory {
public:
    /// `zone.served` is answered from now on. `journal` becomes the way to it. True: secondaries
    /// should be told (another serial than before, or the first time since the start).
    bool take(const std::string& state_directory, const ZoneSettings& zone, Journal& journal);

private:
    struct Past {
        std::shared_ptr<const zone::ZoneData> served;
        Journal journal;
        bool told = false;
    };
    static Past load(const std::string& state_directory, const ZoneSettings& zone);
    static void keep(
        const std::string& state_directory, const ZoneSettings& zone, const Journal& journal
    );

    std::unordered_map<wire::dns::Name, Past> pasts_;
};

}  // namespace twinsite::gslb::transfer
