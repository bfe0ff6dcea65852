// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace twinsite::base::daemon {

/// Tells the service manager how we are: the datagram protocol of sd_notify(3), without its
/// library. Does nothing where no manager asked for it.
class Notifier {
public:
    /// `socket`: the value of NOTIFY_SOCKET: a path, or "@name" for an abstract socket; may be "".
    explicit Notifier(std::string socket) : socket_(std::move(socket)) {}
    static Notifier from_environment();

    void ready() const { send("READY=1"); }
    /// With the monotonic time, as a `Type=notify-reload` unit wants it.
    void reloading() const;
    void stopping() const { send("STOPPING=1"); }
    void watchdog() const { send("WATCHDOG=1"); }
    /// A line for `systemctl status`.
    void status(std::string_view text) const;

private:
    void send(std::string_view message) const;
    std::string socket_;
};

/// How often the manager expects a sign of life (half of WATCHDOG_USEC); none when it does not, or
/// when it means another process.
std::optional<std::chrono::microseconds> watchdog_period();

}  // namespace twinsite::base::daemon
