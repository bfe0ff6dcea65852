// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/notify.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>

#include <unistd.h>

#include "base/text/text.hpp"

namespace twinsite::base::daemon {

namespace {

std::string from_environment_variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

Notifier Notifier::from_environment() {
    return Notifier(from_environment_variable("NOTIFY_SOCKET"));
}

void Notifier::reloading() const {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto microseconds = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void Notifier::status(std::string_view text) const {
    send("STATUS=" + std::string(text));
}

void Notifier::send(std::string_view message) const {
    sockaddr_un to{};
    if (socket_.empty() || socket_.size() >= sizeof to.sun_path) return;
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, socket_.data(), socket_.size());
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';  // abstract: the name without a NUL at its end
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) return;
    // A manager that does not listen is no reason to fail: there is nobody to tell.
    [[maybe_unused]] const auto sent = ::sendto(
        handle,
        message.data(),
        message.size(),
        MSG_NOSIGNAL,
        reinterpret_cast<const sockaddr*>(&to),
        size
    );
    ::close(handle);
}

std::optional<std::chrono::microseconds> watchdog_period() {
    const auto limit =
        text::parse_number<std::uint64_t>(from_environment_variable("WATCHDOG_USEC"));
    if (!limit || *limit < 2) return std::nullopt;
    const auto process = from_environment_variable("WATCHDOG_PID");
    if (!process.empty() && process != std::to_string(::getpid())) return std::nullopt;
    return std::chrono::microseconds(static_cast<std::int64_t>(*limit / 2));
}

}  // namespace twinsite::base::daemon
