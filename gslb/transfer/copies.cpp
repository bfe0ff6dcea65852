// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/copies.hpp"

#include <filesystem>
#include <utility>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"
#include "gslb/transfer/records.hpp"
#include "gslb/transfer/zone_file.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace log = base::log;
using wire::dns::Name;

constexpr const char* kZone = ".copy";
constexpr const char* kConfirmed = ".confirmed";

Copies::Wall wall_now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

void warn(const std::string& path, const base::Error& why) {
    log::event(
        log::Level::warning, "zone_copy_unusable", {{"file", path}, {"cause", why.message()}}
    );
}

/// Not synced: when it is lost, the copy is asked about a little earlier.
void keep_time(const std::string& state_directory, const Name& origin, Copies::Wall at) {
    const auto text = std::to_string(at.time_since_epoch().count());
    const auto path = zone_path(state_directory, origin, kConfirmed);
    const auto kept = base::file::write_state_file(path, text, base::file::Durability::renamed);
    if (!kept) warn(path, kept.error());
}

}  // namespace

std::string zone_path(const std::string& state_directory, const Name& origin, const char* suffix) {
    return state_directory + "/zones/" + file_stem(origin) + suffix;
}

Copies::Copy Copies::load(const std::string& state_directory, const Name& origin) {
    const auto path = zone_path(state_directory, origin, kZone);
    const auto bytes = base::file::read_state_file(path, kLargestZoneFile);
    if (!bytes) {
        warn(path, bytes.error());
        return {};
    }
    if (!*bytes) return {};
    auto zone = decode_zone(**bytes);
    if (zone && zone->origin != origin) zone = base::Error(Errc::malformed_file);
    if (!zone) {
        warn(path, zone.error());
        return {};
    }
    Copy out;
    const auto text = base::file::read_state_file(zone_path(state_directory, origin, kConfirmed));
    if (text && *text)
        if (const auto seconds = base::text::parse_number<std::int64_t>(**text))
            out.confirmed = Wall(std::chrono::seconds(*seconds));
    const auto* const soa = find_soa(*zone);
    if (soa == nullptr) return {};
    const std::chrono::seconds expire(read_soa(soa->rdatas.front()).expire_s);
    out.expired = wall_now() - out.confirmed > expire;
    out.zone = std::make_shared<const zone::ZoneData>(*std::move(zone));
    return out;
}

Copies::Copy Copies::find(const std::string& state_directory, const Name& origin) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = copies_.find(origin);
        if (found != copies_.end()) return found->second;
    }
    auto loaded = load(state_directory, origin);
    const std::lock_guard lock(mutex_);
    return copies_.emplace(origin, std::move(loaded)).first->second;
}

std::shared_ptr<const zone::ZoneData> Copies::usable(
    const std::string& state_directory, const Name& origin
) {
    auto copy = find(state_directory, origin);
    return copy.expired ? nullptr : std::move(copy.zone);
}

base::Result<void> Copies::put(
    const std::string& state_directory, std::shared_ptr<const zone::ZoneData> zone, Wall now
) {
    const Name origin = zone->origin;
    std::error_code ignored;  // writing tells
    std::filesystem::create_directories(state_directory + "/zones", ignored);
    auto kept =
        base::file::write_state_file(zone_path(state_directory, origin, kZone), encode_zone(*zone));
    if (kept) keep_time(state_directory, origin, now);
    const std::lock_guard lock(mutex_);
    copies_[origin] = {std::move(zone), now, false};
    return kept;
}

bool Copies::confirm(const std::string& state_directory, const Name& origin, Wall now) {
    keep_time(state_directory, origin, now);
    const std::lock_guard lock(mutex_);
    auto& copy = copies_[origin];
    copy.confirmed = now;
    return std::exchange(copy.expired, false);
}

void Copies::set_expired(const Name& origin) {
    const std::lock_guard lock(mutex_);
    copies_[origin].expired = true;
}

}  // namespace twinsite::gslb::transfer
