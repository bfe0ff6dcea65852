// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/served_history.hpp"

#include <filesystem>
#include <utility>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/transfer/copies.hpp"
#include "gslb/transfer/serial.hpp"
#include "gslb/transfer/zone_file.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace log = base::log;
using log::Level;

constexpr const char* kServed = ".served";
constexpr const char* kJournal = ".journal";

void warn(const std::string& path, const base::Error& why) {
    log::event(Level::warning, "zone_copy_unusable", {{"file", path}, {"cause", why.message()}});
}

std::size_t size_of(const Journal& journal) {
    std::size_t out = 0;
    for (const auto& difference : journal) out += difference->size_bytes();
    return out;
}

void save(const std::string& path, const std::string& bytes) {
    const auto kept = base::file::write_state_file(path, bytes, base::file::Durability::renamed);
    if (kept) return;
    log::event(
        Level::error, "state_not_saved", {{"what", path}, {"cause", kept.error().message()}}
    );
}

}  // namespace

ServedHistory::Past ServedHistory::load(
    const std::string& state_directory, const ZoneSettings& zone
) {
    Past out;
    const auto path = zone_path(state_directory, zone.origin, kServed);
    const auto bytes = base::file::read_state_file(path, kLargestZoneFile);
    if (!bytes) warn(path, bytes.error());
    if (!bytes || !*bytes) return out;
    auto served = decode_zone(**bytes);
    if (!served) {
        warn(path, served.error());
        return out;
    }
    out.served = std::make_shared<const zone::ZoneData>(*std::move(served));
    const auto journal_path = zone_path(state_directory, zone.origin, kJournal);
    const auto text = base::file::read_state_file(journal_path, kLargestZoneFile);
    if (!text || !*text) return out;
    auto journal = decode_journal(**text, zone.origin);
    if (!journal) {
        warn(journal_path, journal.error());
        return out;
    }
    out.journal = *std::move(journal);
    // A crash between the two files: what leads elsewhere is of no use.
    while (!out.journal.empty() && out.journal.back()->to != out.served->serial)
        out.journal.pop_back();
    return out;
}

void ServedHistory::keep(
    const std::string& state_directory, const ZoneSettings& zone, const Journal& journal
) {
    std::error_code ignored;  // writing tells
    std::filesystem::create_directories(state_directory + "/zones", ignored);
    // The journal first: without the zone it leads to, its end is cut off when it is read.
    save(zone_path(state_directory, zone.origin, kJournal), encode_journal(zone.origin, journal));
    save(zone_path(state_directory, zone.origin, kServed), encode_zone(*zone.served));
}

bool ServedHistory::take(
    const std::string& state_directory, const ZoneSettings& zone, Journal& journal
) {
    auto found = pasts_.find(zone.origin);
    if (found == pasts_.end())
        found = pasts_.emplace(zone.origin, load(state_directory, zone)).first;
    Past& past = found->second;
    const bool first = !std::exchange(past.told, true);
    const auto before = std::exchange(past.served, zone.served);
    journal = past.journal;
    if (before == zone.served || find_soa(*zone.served) == nullptr) return first;

    const auto name = zone.origin.to_string();
    if (!before) {
        keep(state_directory, zone, journal);
        return true;
    }
    auto difference = find_difference(*before, *zone.served);
    if (!difference) return first;
    if (difference->from == difference->to) {
        log::event(
            Level::warning,
            "zone_changed_without_serial",
            {{"zone", name}, {"serial", zone.served->serial}}
        );
        // Who has this serial would never hear of the change: differences from before it are wrong.
        past.journal.clear();
    } else if (!is_newer(difference->to, difference->from)) {
        log::event(
            Level::warning,
            "zone_serial_went_back",
            {{"zone", name}, {"from", difference->from}, {"to", difference->to}}
        );
        past.journal.clear();
    } else {
        past.journal.push_back(std::make_shared<const Difference>(*std::move(difference)));
        while (!past.journal.empty() && size_of(past.journal) > zone.journal_bytes)
            past.journal.erase(past.journal.begin());
    }
    journal = past.journal;
    keep(state_directory, zone, journal);
    return first || before->serial != zone.served->serial;
}

}  // namespace twinsite::gslb::transfer
