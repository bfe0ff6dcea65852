// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "slb/proxy/counters.hpp"

namespace twinsite::slb::proxy {

/// One blade as the API shows it.
struct BladeStatus {
    std::string name;
    base::net::Endpoint address;
    std::string host;  ///< its Origin-Host, empty before the first link
    bool draining = false;
    std::string link;  ///< open, connecting, suspect, down or disconnecting
    std::uint32_t pending = 0;
    std::size_t sessions = 0;
    BladeCounters counters;
};

/// A shard at one moment, copied in its thread.
struct ShardStatus {
    std::vector<BladeStatus> blades;  ///< in the order of their indexes; removed ones left out
    RelayCounters relay;
    std::size_t clients = 0;
    std::size_t sessions = 0;
    std::size_t session_slots = 0;
    std::size_t pending = 0;
    std::size_t retained_bytes = 0;
    std::uint64_t released = 0;  ///< clients asked to leave by releases
    bool release_running = false;

    /// Some blade can take new sessions' requests.
    bool ready() const {
        for (const auto& blade : blades)
            if (blade.link == "open" && !blade.draining) return true;
        return false;
    }
};

}  // namespace twinsite::slb::proxy
