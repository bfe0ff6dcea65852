// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/epoll.h>

#include "base/file/descriptor.hpp"

namespace twinsite::tools::io {

/// What is ready to be read or written, by epoll. The generator and the blade share two cores with
/// the server they measure: one system call per turn, no allocation, no library between.
class Poller {
public:
    struct Ready {
        std::uint64_t tag;
        bool readable;  ///< or closed or failed: reading tells
        bool writable;
    };

    Poller();

    /// `tag` comes back with every event. Always waits for reading.
    void add(int fd, std::uint64_t tag, bool for_writing = false);
    void change(int fd, std::uint64_t tag, bool for_writing);
    void remove(int fd);

    /// Waits at most `timeout` (none: for ever). The result is valid until the next call.
    std::span<const Ready> wait(std::optional<std::chrono::nanoseconds> timeout);

private:
    int wait_nanoseconds(std::optional<std::chrono::nanoseconds> timeout);

    base::file::Descriptor epoll_;
    bool precise_ = true;  ///< epoll_pwait2 is there (Linux 5.11)
    std::array<epoll_event, 256> events_{};
    std::array<Ready, 256> ready_{};
};

/// SIGTERM and SIGINT as a readable descriptor, blocked for the whole process.
base::file::Descriptor stop_signals();

}  // namespace twinsite::tools::io
