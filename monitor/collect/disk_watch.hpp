// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "monitor/collect/background.hpp"
#include "monitor/collect/disk.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// Asks the file systems for their use, in the background, one call at a time. A call that does not
/// come back within kDeadline marks its file system as stuck; it is not asked again until that call
/// has returned, and the others are asked on. Used on one thread.
class DiskWatch {
public:
    static constexpr std::chrono::milliseconds kPeriod{5'000};
    static constexpr std::chrono::milliseconds kDeadline{2'000};
    /// statvfs(3), or a test's own.
    using Ask = std::function<base::Result<FileSystemCounts>(const std::string& point)>;
    /// The mounts to watch, read anew each time.
    using List = std::function<std::vector<Mount>()>;

    DiskWatch(List list, Ask ask);

    /// The newest values, a sample for each file system.
    std::vector<wire::contract::Sample> sample(std::chrono::steady_clock::time_point now);

private:
    struct Shared;
    void start();

    std::shared_ptr<Shared> shared_;
    std::unique_ptr<Background> worker_;
    /// Those that hang, and those that have come back since.
    std::vector<std::unique_ptr<Background>> hanging_;
};

base::Result<FileSystemCounts> ask_file_system(const std::string& point);

}  // namespace twinsite::monitor::collect
