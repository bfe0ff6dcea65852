// SPDX-License-Identifier: Apache-2.0
#include "tools/io/poller.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/signalfd.h>

#include "base/error/check.hpp"

namespace twinsite::tools::io {
namespace {

epoll_event event_for(std::uint64_t tag, bool for_writing) {
    epoll_event out{};
    out.events = EPOLLIN | EPOLLRDHUP;
    if (for_writing) out.events |= EPOLLOUT;
    out.data.u64 = tag;
    return out;
}

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    BASE_CHECK(epoll_.is_open());
}

void Poller::add(int fd, std::uint64_t tag, bool for_writing) {
    auto event = event_for(tag, for_writing);
    BASE_CHECK(epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, fd, &event) == 0);
}

void Poller::change(int fd, std::uint64_t tag, bool for_writing) {
    auto event = event_for(tag, for_writing);
    BASE_CHECK(epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void Poller::remove(int fd) {
    epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, fd, nullptr);
}

int Poller::wait_nanoseconds(std::optional<std::chrono::nanoseconds> timeout) {
    using std::chrono::nanoseconds;
    const auto limit = static_cast<int>(events_.size());
    if (timeout && *timeout < nanoseconds::zero()) timeout = nanoseconds::zero();
    if (precise_) {
        timespec spec{};
        if (timeout) {
            spec.tv_sec = static_cast<std::time_t>(*timeout / std::chrono::seconds(1));
            spec.tv_nsec = static_cast<long>((*timeout % std::chrono::seconds(1)).count());
        }
        const int count = epoll_pwait2(
            epoll_.number(), events_.data(), limit, timeout ? &spec : nullptr, nullptr
        );
        if (count >= 0 || errno != ENOSYS) return count;
        precise_ = false;
    }
    int milliseconds = -1;
    if (timeout)
        milliseconds =
            static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*timeout).count());
    return epoll_wait(epoll_.number(), events_.data(), limit, milliseconds);
}

std::span<const Poller::Ready> Poller::wait(std::optional<std::chrono::nanoseconds> timeout) {
    const int count = wait_nanoseconds(timeout);
    if (count <= 0) return {};
    for (int i = 0; i < count; ++i) {
        const auto& event = events_[static_cast<std::size_t>(i)];
        ready_[static_cast<std::size_t>(i)] = {
            event.data.u64,
            (event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
            (event.events & EPOLLOUT) != 0
        };
    }
    return {ready_.data(), static_cast<std::size_t>(count)};
}

base::file::Descriptor stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return base::file::Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace twinsite::tools::io
