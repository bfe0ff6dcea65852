// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/dns_asker.hpp"

#include <array>
#include <random>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
using asio::ip::udp;
using base::async::as_result;

namespace {

constexpr std::size_t kMaxReplyBytes = 4'096;

/// Waits for the reply with this id; others are passed over.
asio::awaitable<base::Result<DnsAnswer>> wait_for_answer(
    udp::socket& socket, std::uint16_t id, const std::string& name
) {
    std::array<std::uint8_t, kMaxReplyBytes> buffer{};
    for (;;) {
        const auto into = asio::buffer(buffer);
        const auto [failure, size] = co_await socket.async_receive(into, as_result);
        if (failure) co_return base::Error(failure);
        auto answer = decode_dns_answer({buffer.data(), size}, id, name);
        if (answer) co_return std::move(*answer);
    }
}

}  // namespace

asio::awaitable<base::Result<DnsAnswer>> ask_dns(
    base::net::Endpoint server,
    std::string name,
    std::optional<base::text::IpPrefix> client,
    std::chrono::milliseconds limit
) {
    constexpr int kTries = 2;
    constexpr unsigned kIds = 0x10000;
    const auto executor = co_await asio::this_coro::executor;
    const auto to = base::net::to_udp(server);
    udp::socket socket(executor);
    base::Error failure;
    socket.open(to.protocol(), failure);
    // Connected: only the server's packets come in, and a closed port is told at once.
    if (!failure) socket.connect(to, failure);
    if (failure) co_return failure;
    std::random_device random;
    const auto id = static_cast<std::uint16_t>(random() % kIds);
    const auto question = encode_dns_question(id, name, client);
    if (question.empty()) co_return make_error_code(boost::system::errc::invalid_argument);
    base::Result<DnsAnswer> answer = make_error_code(boost::system::errc::timed_out);
    for (int i = 0; i < kTries; ++i) {
        const auto packet = asio::buffer(question);
        const auto [sent, size] = co_await socket.async_send(packet, as_result);
        if (sent) co_return base::Error(sent);
        auto work = wait_for_answer(socket, id, name);
        answer = co_await base::async::with_deadline(std::move(work), limit / kTries);
        if (answer || answer.error() != asio::error::timed_out) break;
    }
    co_return answer;
}

}  // namespace twinsite::switchover::execute
