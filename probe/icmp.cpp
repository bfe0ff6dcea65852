// SPDX-License-Identifier: Apache-2.0
#include "probe/icmp.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <netinet/in.h>
#include <random>
#include <span>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/file/descriptor.hpp"
#include "probe/measure.hpp"
#include "wire/icmp/echo.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
namespace icmp = wire::icmp;
using asio::awaitable;
using base::Error;
using base::Result;
using base::text::Family;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

Error last_error() {
    return {errno, boost::system::system_category()};
}

struct Socket {
    base::file::Descriptor descriptor;
    bool raw = false;
};

/// `permission_denied` when the system allows neither kind.
Result<Socket> open_socket(Family family) {
    const int domain = family == Family::v4 ? AF_INET : AF_INET6;
    const int protocol = family == Family::v4 ? int{IPPROTO_ICMP} : int{IPPROTO_ICMPV6};
    for (const int type : {SOCK_DGRAM, SOCK_RAW}) {
        const int fd = ::socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
        if (fd >= 0) return Socket{base::file::Descriptor(fd), type == SOCK_RAW};
        if (errno != EACCES && errno != EPERM && errno != EPROTONOSUPPORT) return last_error();
    }
    return Error(EACCES, boost::system::system_category());
}

/// Connected, so that only the target's messages and errors come.
Result<Socket> reach(const Place& place) {
    auto socket = open_socket(place.target.address.family);
    if (!socket) return socket.error();
    const int fd = socket->descriptor.number();
    if (place.source) {
        const auto from = base::net::to_socket_address({*place.source, 0});
        if (::bind(fd, from.data(), from.size) != 0) return last_error();
    }
    const auto to = base::net::to_socket_address({place.target.address, 0});
    if (::connect(fd, to.data(), to.size) != 0) return last_error();
    return socket;
}

/// When the next echo of this process may leave.
Clock::time_point next_slot() {
    static std::atomic<Clock::rep> taken{0};
    constexpr auto kGap = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)) /
                          IcmpProbe::kEchoesPerSecond;
    auto before = taken.load();
    while (true) {
        const auto slot = std::max(Clock::now().time_since_epoch().count(), before + kGap.count());
        if (taken.compare_exchange_weak(before, slot))
            return Clock::time_point(Clock::duration(slot));
    }
}

using Token = std::array<std::uint8_t, 16>;

Token random_token() {
    std::random_device source;
    Token out;
    for (auto& byte : out) byte = static_cast<std::uint8_t>(source());
    return out;
}

/// The identifier of a ping socket is the kernel's, so replies are known by what they carry.
bool answers(std::span<const std::uint8_t> message, Family family, bool raw, const Token& token) {
    if (raw && family == Family::v4) message = icmp::strip_ipv4_header(message);
    const auto echo = icmp::decode_echo_reply(family, message);
    return echo &&
           std::equal(echo->payload.begin(), echo->payload.end(), token.begin(), token.end());
}

awaitable<Result<void>> echo(Place place, std::uint16_t sequence) {
    const auto executor = co_await asio::this_coro::executor;
    co_await base::async::sleep_for(next_slot() - Clock::now());
    auto socket = reach(place);
    if (!socket) co_return socket.error();
    const bool raw = socket->raw;
    asio::posix::stream_descriptor stream(executor, socket->descriptor.release());
    const auto family = place.target.address.family;
    const auto token = random_token();
    const auto identifier = static_cast<std::uint16_t>(token[0] << 8 | token[1]);
    const auto request = icmp::echo_request(family, {identifier, sequence, token});
    if (::send(stream.native_handle(), request.data(), request.size(), 0) < 0)
        co_return last_error();
    std::array<std::uint8_t, 2048> buffer{};
    while (true) {
        const auto readable = asio::posix::stream_descriptor::wait_read;
        const auto [failure] = co_await stream.async_wait(readable, base::async::as_result);
        if (failure) co_return failure;
        const auto size = ::recv(stream.native_handle(), buffer.data(), buffer.size(), 0);
        if (size < 0 && errno != EAGAIN && errno != EINTR) co_return last_error();
        if (size <= 0) continue;
        const auto message = std::span(buffer).first(static_cast<std::size_t>(size));
        if (answers(message, family, raw, token)) co_return Result<void>();
    }
}

}  // namespace

awaitable<Outcome> IcmpProbe::run(milliseconds limit) {
    const Stopwatch watch;
    auto echoing = echo(place_, sequence_++);
    const auto done = co_await base::async::with_deadline(std::move(echoing), limit);
    if (done) co_return watch.good();
    if (done.error() == boost::system::errc::permission_denied)
        co_return watch.not_possible(
            "ICMP is not permitted: neither a ping socket (sysctl net.ipv4.ping_group_range) nor a "
            "raw one (CAP_NET_RAW)"
        );
    co_return watch.failed(done.error());
}

}  // namespace twinsite::probe
