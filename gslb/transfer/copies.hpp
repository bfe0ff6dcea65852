// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/error/result.hpp"
#include "gslb/zone/zone_data.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::transfer {

/// The zones that came from primaries, in memory and in the state directory, so that a restart
/// answers at once. Any thread.
class Copies {
public:
    using Wall = std::chrono::sys_seconds;
    struct Copy {
        std::shared_ptr<const zone::ZoneData> zone;  ///< null: none
        Wall confirmed{};  ///< when a primary last said that it is the newest, by the wall clock
        bool expired = false;
    };

    /// What is known, from the disk the first time it is asked for. A damaged file counts as none
    /// (event zone_copy_unusable). A copy from disk that is past its SOA's expire time is expired.
    Copy find(const std::string& state_directory, const wire::dns::Name& origin);
    /// The copy, when it may be answered from.
    std::shared_ptr<const zone::ZoneData> usable(
        const std::string& state_directory, const wire::dns::Name& origin
    );

    /// A new version, confirmed now. It is in use even if the disk does not take it.
    base::Result<void> put(
        const std::string& state_directory, std::shared_ptr<const zone::ZoneData> zone, Wall now
    );
    /// The version that is here is the newest. True: it had expired and is back.
    bool confirm(const std::string& state_directory, const wire::dns::Name& origin, Wall now);
    void set_expired(const wire::dns::Name& origin);

private:
    static Copy load(const std::string& state_directory, const wire::dns::Name& origin);

    std::mutex mutex_;
    std::unordered_map<wire::dns::Name, Copy> copies_;
};

/// "DIRECTORY/zones/example.net" + suffix.
std::string zone_path(
    const std::string& state_directory, const wire::dns::Name& origin, const char* suffix
);
/// Zone files may be larger than other state.
inline constexpr std::size_t kLargestZoneFile = std::size_t{2} << 30;

}  // namespace twinsite::gslb::transfer
