// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/mailbox.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>

#include "base/error/check.hpp"

namespace twinsite::slb::proxy {

Mailbox::Mailbox(Poller& poller) : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_.is_open()) throw std::system_error(errno, std::generic_category(), "eventfd");
    poller.add(event_.number(), *this);
}

void Mailbox::post(Work work) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(work));
    }
    const std::uint64_t one = 1;
    // Fails only when the counter is full: then the reader is awake anyway.
    if (::write(event_.number(), &one, sizeof one) < 0) BASE_CHECK(errno == EAGAIN);
}

void Mailbox::on_ready(Ready) {
    std::uint64_t count;
    if (::read(event_.number(), &count, sizeof count) < 0) BASE_CHECK(errno == EAGAIN);
    std::vector<Work> batch;
    {
        const std::lock_guard lock(mutex_);
        batch.swap(posted_);
    }
    for (auto& work : batch) work();
}

}  // namespace twinsite::slb::proxy
