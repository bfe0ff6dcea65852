// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/file/descriptor.hpp"
#include "slb/proxy/poller.hpp"

namespace twinsite::slb::proxy {

/// The way into the shard's thread: functions posted by any thread run there, in order, between
/// two turns. Nothing on the request path comes through here.
class Mailbox final : public Watcher {
public:
    using Work = std::function<void()>;

    /// Construct before the shard's thread starts.
    explicit Mailbox(Poller& poller);

    /// Any thread.
    void post(Work work);
    /// Shard thread: runs what was posted.
    void on_ready(Ready ready) override;

private:
    base::file::Descriptor event_;
    std::mutex mutex_;
    std::vector<Work> posted_;  // guarded by mutex_
};

}  // namespace twinsite::slb::proxy
