// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <sys/epoll.h>

#include "base/file/descriptor.hpp"

namespace twinsite::slb::proxy {

/// What a descriptor belongs to: told when it can be read or written.
class Watcher {
public:
    virtual ~Watcher() = default;
    struct Ready {
        bool read = false;  ///< also at an error or hang-up: the next read tells which
        bool write = false;
    };
    virtual void on_ready(Ready ready) = 0;
};

/// The shard's wait: level-triggered epoll. One thread. Asio serves the rest of the suite; why
/// not here: docs/decisions/0012.
///
/// A watcher must stay alive until the end of the turn in which it was removed, since its events
/// may have been fetched already; after `remove` it ignores them.
class Poller {
public:
    Poller();

    void add(int fd, Watcher& watcher);
    void set_interest(int fd, Watcher& watcher, Watcher::Ready wanted);
    void remove(int fd);
    /// Waits for events, at most `limit`; `dispatch` hands them out.
    void wait(std::chrono::milliseconds limit);
    void dispatch();

private:
    static constexpr int kEventsPerTurn = 256;

    base::file::Descriptor epoll_;
    std::array<epoll_event, kEventsPerTurn> events_{};
    int ready_ = 0;
};

}  // namespace twinsite::slb::proxy
