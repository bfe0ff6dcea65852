// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/poller.hpp"

#include <cerrno>
#include <system_error>

#include "base/error/check.hpp"

namespace twinsite::slb::proxy {

namespace {

epoll_event event_for(Watcher& watcher, Watcher::Ready wanted) {
    epoll_event event{};
    if (wanted.read) event.events |= EPOLLIN;
    if (wanted.write) event.events |= EPOLLOUT;
    event.data.ptr = &watcher;
    return event;
}

}  // namespace

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_.is_open()) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void Poller::add(int fd, Watcher& watcher) {
    auto event = event_for(watcher, {.read = true, .write = false});
    BASE_CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, fd, &event) == 0);
}

void Poller::set_interest(int fd, Watcher& watcher, Watcher::Ready wanted) {
    auto event = event_for(watcher, wanted);
    BASE_CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void Poller::remove(int fd) {
    BASE_CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, fd, nullptr) == 0);
}

void Poller::wait(std::chrono::milliseconds limit) {
    ready_ = ::epoll_wait(
        epoll_.number(), events_.data(), kEventsPerTurn, static_cast<int>(limit.count())
    );
    if (ready_ < 0) ready_ = 0;  // a signal
}

void Poller::dispatch() {
    for (int i = 0; i < ready_; ++i) {
        const auto events = events_[i].events;
        Watcher::Ready ready;
        ready.read = (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
        ready.write = (events & EPOLLOUT) != 0;
        static_cast<Watcher*>(events_[i].data.ptr)->on_ready(ready);
    }
    ready_ = 0;
}

}  // namespace twinsite::slb::proxy
