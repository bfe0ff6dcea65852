// SPDX-License-Identifier: Apache-2.0
#include "base/file/watch.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <utility>

namespace twinsite::base::file {

namespace {

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Watch::Watch(std::vector<std::string> paths) : paths_(std::move(paths)) {
    std::erase(paths_, std::string());
    told_ = look();
    seen_ = told_;
}

bool Watch::at_rest(const std::vector<Stamp>& stamps, WallTime wall) {
    const auto limit = std::chrono::nanoseconds((wall - kPeriod).time_since_epoch()).count();
    return std::all_of(stamps.begin(), stamps.end(), [limit](const Stamp& stamp) {
        return stamp.changed_ns < limit;
    });
}

bool Watch::changed(Time now, WallTime wall) {
    if (now < next_) return false;
    next_ = now + kPeriod;
    auto fresh = look();
    const bool settled = fresh == seen_ || at_rest(fresh, wall);
    seen_ = std::move(fresh);
    if (!settled || seen_ == told_) return false;
    told_ = seen_;
    return true;
}

std::vector<Watch::Stamp> Watch::look() const {
    std::vector<Stamp> out;
    for (const auto& path : paths_) {
        struct stat file{};
        auto& stamp = out.emplace_back();
        if (::stat(path.c_str(), &file) != 0) continue;  // absent is a state like any other
        stamp.device = file.st_dev;
        stamp.inode = file.st_ino;
        stamp.size = static_cast<std::uint64_t>(file.st_size);
        stamp.modified_ns = nanoseconds(file.st_mtim);
        stamp.changed_ns = nanoseconds(file.st_ctim);
    }
    return out;
}

}  // namespace twinsite::base::file
