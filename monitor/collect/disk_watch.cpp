// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/disk_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/statvfs.h>
#include <utility>

namespace twinsite::monitor::collect {

using wire::contract::Sample;
using wire::contract::Status;
using Time = std::chrono::steady_clock::time_point;

namespace {

Sample good(const Mount& mount, const DiskUse& use) {
    Sample out;
    out.collector = "disk";
    out.instance = mount.point;
    out.numbers = {
        {"size_bytes", static_cast<double>(use.size_bytes)},
        {"used_bytes", static_cast<double>(use.used_bytes)},
        {"avail_bytes", static_cast<double>(use.available_bytes)},
        {"used_percent", use.used_percent},
        {"inodes_used_percent", use.inodes_used_percent},
        {"read_only", mount.read_only ? 1.0 : 0.0},
        {"flagged", use.flagged ? 1.0 : 0.0}
    };
    out.texts = {{"device", mount.source}, {"type", mount.type}};
    return out;
}

Sample bad(const Mount& mount, Status status, std::string detail) {
    Sample out;
    out.collector = "disk";
    out.instance = mount.point;
    out.status = status;
    out.detail = std::move(detail);
    out.texts = {{"device", mount.source}, {"type", mount.type}};
    return out;
}

}  // namespace

base::Result<FileSystemCounts> ask_file_system(const std::string& point) {
    struct statvfs facts{};
    if (::statvfs(point.c_str(), &facts) != 0)
        return base::Error(errno, boost::system::system_category());
    return FileSystemCounts{
        facts.f_frsize, facts.f_blocks, facts.f_bfree, facts.f_bavail, facts.f_files, facts.f_ffree
    };
}

struct DiskWatch::Shared {
    struct Entry {
        Mount mount;
        std::optional<Sample> sample;
        Time taken{};
        std::optional<Time> asked;  ///< A call is out since then.
    };
    const List list;
    const Ask ask;
    std::mutex mutex;
    std::map<std::string, Entry> entries;  ///< By mount point.
    std::set<std::string> left_behind;     ///< Mounts whose call hangs; another worker goes on.
    std::uint64_t generation = 0;          ///< Of the worker whose turn it is.

    Shared(List list_of_mounts, Ask ask_one)
        : list(std::move(list_of_mounts)), ask(std::move(ask_one)) {}

    bool is_current(std::uint64_t mine) {
        const std::lock_guard lock(mutex);
        return generation == mine;
    }

    /// Takes the present mounts in and leaves out those that are gone; gives those to ask.
    std::vector<Mount> begin_round() {
        const auto mounts = list();
        const std::lock_guard lock(mutex);
        std::map<std::string, Entry> next;
        std::vector<Mount> out;
        for (const auto& mount : mounts) {
            auto before = entries.extract(mount.point);
            Entry entry = before ? std::move(before.mapped()) : Entry{};
            entry.mount = mount;
            if (!entry.asked) out.push_back(mount);
            next.emplace(mount.point, std::move(entry));
        }
        // A call that is out still belongs to its mount, also when that is gone from the list.
        for (auto& [point, entry] : entries)
            if (entry.asked) next.emplace(point, std::move(entry));
        entries = std::move(next);
        return out;
    }

    void measure(const Mount& mount) {
        {
            const std::lock_guard lock(mutex);
            entries[mount.point].asked = std::chrono::steady_clock::now();
        }
        const auto counts = ask(mount.point);
        const std::lock_guard lock(mutex);
        auto& entry = entries[mount.point];
        entry.mount = mount;
        entry.asked.reset();
        entry.taken = std::chrono::steady_clock::now();
        entry.sample = counts ? good(mount, measure_disk(*counts))
                              : bad(mount, Status::error, counts.error().message());
    }

    /// True when the worker's call is over its deadline: its turn is then over, too.
    bool hangs(Time now) {
        const std::lock_guard lock(mutex);
        for (const auto& [point, entry] : entries)
            if (entry.asked && now - *entry.asked > kDeadline && !left_behind.contains(point)) {
                left_behind.insert(point);
                ++generation;
                return true;
            }
        std::erase_if(left_behind, [this](const auto& point) {
            const auto entry = entries.find(point);
            return entry == entries.end() || !entry->second.asked;
        });
        return false;
    }
};

DiskWatch::DiskWatch(List list, Ask ask)
    : shared_(std::make_shared<Shared>(std::move(list), std::move(ask))) {
    start();
}

void DiskWatch::start() {
    const auto mine = shared_->generation;
    worker_ =
        std::make_unique<Background>([shared = shared_, mine](const Background::Pause& pause) {
            do {
                for (const auto& mount : shared->begin_round()) {
                    shared->measure(mount);
                    if (!shared->is_current(mine) || !pause(std::chrono::milliseconds(0))) return;
                }
            } while (pause(kPeriod));
        });
}

std::vector<Sample> DiskWatch::sample(Time now) {
    if (shared_->hangs(now)) {
        worker_->stop();
        hanging_.push_back(std::move(worker_));
        start();
    }
    std::erase_if(hanging_, [](const auto& worker) { return worker->ended(); });
    std::vector<Sample> out;
    const std::lock_guard lock(shared_->mutex);
    for (const auto& [point, entry] : shared_->entries) {
        const bool stuck = entry.asked && now - *entry.asked > kDeadline;
        if (stuck)
            out.push_back(bad(entry.mount, Status::stuck, "the file system does not answer"));
        if (stuck || !entry.sample) continue;
        out.push_back(*entry.sample);
        const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - entry.taken);
        out.back().age_ms = static_cast<std::uint64_t>(std::max<long>(age.count(), 0));
    }
    return out;
}

}  // namespace twinsite::monitor::collect
