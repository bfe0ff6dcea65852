// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/fetch.hpp"

#include <array>
#include <chrono>
#include <random>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"
#include "gslb/transfer/request.hpp"
#include "gslb/transfer/serial.hpp"
#include "wire/dns/bytes.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace asio = boost::asio;
namespace dns = wire::dns;
using asio::awaitable;
using base::Error;
using base::Result;
using base::async::as_result;
using std::chrono::milliseconds;
using Bytes = std::vector<std::uint8_t>;

constexpr milliseconds kConnectLimit{5'000};
/// For each message: a primary that falls silent is given up, however long the transfer is.
constexpr milliseconds kMessageLimit{20'000};
constexpr milliseconds kFirstNotifyWait{3'000};
constexpr unsigned kNotifyTries = 6;

std::uint64_t wall_seconds() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<seconds>(system_clock::now().time_since_epoch()).count()
    );
}

std::uint16_t random_id() {
    static thread_local std::random_device device;
    return static_cast<std::uint16_t>(device());
}

/// Signs `message` when there is a session.
void sign(Bytes& message, std::optional<TsigSession>& session) {
    if (!session) return;
    std::size_t size = message.size();
    message.resize(size + session->room_bytes());
    session->sign(message, size, wall_seconds());
    message.resize(size);
}

std::optional<TsigSession> session_of(const Peer& peer) {
    if (!peer.key) return std::nullopt;
    return TsigSession(*peer.key);
}

awaitable<Result<void>> open(asio::ip::tcp::socket& socket, base::net::Endpoint to) {
    const auto [failure] = co_await socket.async_connect(base::net::to_tcp(to), as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

awaitable<Result<void>> send(asio::ip::tcp::socket& socket, const Bytes& message) {
    std::array<std::uint8_t, 2> size{};
    dns::store16(size.data(), static_cast<std::uint16_t>(message.size()));
    const std::array<asio::const_buffer, 2> parts{asio::buffer(size), asio::buffer(message)};
    const auto [failure, count] = co_await asio::async_write(socket, parts, as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

awaitable<Result<Bytes>> receive(asio::ip::tcp::socket& socket) {
    std::array<std::uint8_t, 2> size{};
    const auto [failure, count] = co_await asio::async_read(socket, asio::buffer(size), as_result);
    if (failure == asio::error::eof) co_return Error(Errc::cut_off);
    if (failure) co_return failure;
    Bytes out(dns::load16(size.data()));
    const auto [lost, rest] = co_await asio::async_read(socket, asio::buffer(out), as_result);
    if (lost == asio::error::eof) co_return Error(Errc::cut_off);
    if (lost) co_return lost;
    co_return out;
}

std::string rcode_text(std::uint16_t rcode) {
    return dns::rcode_to_string(static_cast<dns::Rcode>(rcode));
}

/// One connection to one primary.
class Exchange {
public:
    Exchange(const asio::any_io_executor& executor, FetchOrder order, std::string& why)
        : socket_(executor), order_(std::move(order)), why_(why) {}

    awaitable<Result<void>> connect() {
        return base::async::with_deadline(open(socket_, order_.primary.address), kConnectLimit);
    }

    awaitable<Result<std::uint32_t>> ask_serial() {
        const std::uint16_t id = random_id();
        auto session = session_of(order_.primary);
        Bytes query = make_question(id, order_.origin, dns::type::soa);
        sign(query, session);
        auto sent = co_await base::async::with_deadline(send(socket_, query), kMessageLimit);
        if (!sent) co_return sent.error();
        auto reply = co_await base::async::with_deadline(receive(socket_), kMessageLimit);
        if (!reply) co_return reply.error();
        const auto read = read_request(*reply);
        if (!read || read->id != id || (read->flags & dns::flag::qr) == 0)
            co_return Error(Errc::malformed);
        if (const auto wrong = check(*reply, session)) co_return *wrong;
        if (const std::uint16_t rcode = read->flags & 0xf) {
            why_ = "the question for the SOA gets " + rcode_text(rcode);
            co_return Error(Errc::refused);
        }
        if (!read->serial || (read->flags & dns::flag::aa) == 0) {
            why_ = "the primary has no SOA of the zone with authority";
            co_return Error(Errc::refused);
        }
        co_return *read->serial;
    }

    awaitable<Result<Fetched>> transfer(bool incremental) {
        const std::uint16_t id = random_id();
        auto session = session_of(order_.primary);
        TransferReader::Question question{order_.origin, id, std::nullopt};
        Bytes query;
        if (incremental) {
            question.have = order_.have->serial;
            query = make_ixfr(id, *find_soa(*order_.have));
        } else {
            query = make_question(id, order_.origin, dns::type::axfr);
        }
        sign(query, session);
        auto sent = co_await base::async::with_deadline(send(socket_, query), kMessageLimit);
        if (!sent) co_return sent.error();
        TransferReader reader(std::move(question));
        for (;;) {
            auto message = co_await base::async::with_deadline(receive(socket_), kMessageLimit);
            if (!message) co_return message.error();
            if (const auto wrong = check(*message, session)) co_return *wrong;
            const auto taken = reader.take(*message);
            if (!taken) {
                if (taken.error() == Error(Errc::refused))
                    why_ = (incremental ? "IXFR gets " : "AXFR gets ") + rcode_text(reader.rcode());
                co_return taken.error();
            }
            if (*taken == TransferReader::Progress::done) break;
        }
        if (session && !session->is_complete()) {
            why_ = "the last message has no TSIG";
            co_return Error(Errc::bad_signature);
        }
        co_return finish(reader);
    }

private:
    std::optional<Error> check(const Bytes& message, std::optional<TsigSession>& session) {
        if (!session) return std::nullopt;
        const auto verdict = session->verify(message, wall_seconds());
        if (verdict == TsigError::none) return std::nullopt;
        why_ = std::string("TSIG: ") + to_string(verdict);
        return Error(Errc::bad_signature);
    }

    Result<Fetched> finish(TransferReader& reader) {
        Fetched out;
        out.kind = reader.kind();
        out.serial = reader.serial();
        if (out.kind == TransferReader::Kind::whole) {
            auto zone = assemble_zone(order_.origin, std::move(reader.records()), why_);
            if (!zone) return zone.error();
            out.zone = std::make_shared<const zone::ZoneData>(*std::move(zone));
        } else if (out.kind == TransferReader::Kind::differences) {
            auto zone = apply_differences(*order_.have, reader.differences());
            if (!zone) return zone.error();
            out.zone = std::make_shared<const zone::ZoneData>(*std::move(zone));
            for (auto& difference : reader.differences())
                out.differences.push_back(std::make_shared<const Difference>(std::move(difference))
                );
        }
        return out;
    }

    asio::ip::tcp::socket socket_;
    const FetchOrder order_;
    std::string& why_;
};

awaitable<Result<Fetched>> fetch_once(FetchOrder order, bool incremental, std::string& why) {
    const auto executor = co_await asio::this_coro::executor;
    const bool whole = order.whole;
    const auto have = order.have;
    Exchange exchange(executor, std::move(order), why);
    const auto connected = co_await exchange.connect();
    if (!connected) co_return connected.error();
    const auto serial = co_await exchange.ask_serial();
    if (!serial) co_return serial.error();
    if (have && !whole) {
        if (*serial == have->serial)
            co_return Fetched{TransferReader::Kind::up_to_date, *serial, nullptr, {}};
        if (!is_newer(*serial, have->serial)) {
            why = "serial " + std::to_string(*serial) + " is behind " +
                  std::to_string(have->serial) + ", which is here";
            co_return Error(Errc::older);
        }
    }
    co_return co_await exchange.transfer(incremental);
}

/// What another attempt with AXFR can mend: the primary does not do IXFR, or does it wrong.
bool is_mended_by_axfr(const Error& failure) {
    return failure == Error(Errc::refused) || failure == Error(Errc::not_incremental) ||
           failure == Error(Errc::malformed) || failure == Error(Errc::cut_off) ||
           failure == Error(Errc::bad_zone);
}

}  // namespace

awaitable<Result<Fetched>> fetch(FetchOrder order, std::string& why) {
    const bool incremental = order.have && !order.whole;
    if (incremental) {
        auto fetched = co_await fetch_once(order, true, why);
        if (fetched || !is_mended_by_axfr(fetched.error())) co_return fetched;
        why.clear();
    }
    co_return co_await fetch_once(std::move(order), false, why);
}

namespace {

awaitable<Result<std::uint16_t>> notify_once(
    asio::ip::udp::socket& socket, const Peer& to, const zone::RRset& soa
) {
    const std::uint16_t id = random_id();
    auto session = session_of(to);
    Bytes message = make_notify(id, soa);
    sign(message, session);
    const auto [failure, sent] = co_await socket.async_send(asio::buffer(message), as_result);
    if (failure) co_return failure;
    Bytes reply(dns::kMaxMessageBytes);
    for (;;) {
        const auto [lost, size] = co_await socket.async_receive(asio::buffer(reply), as_result);
        if (lost) co_return lost;
        const std::span<const std::uint8_t> got(reply.data(), size);
        const auto read = read_request(got);
        if (!read || read->id != id || (read->flags & dns::flag::qr) == 0 || !read->is_notify())
            continue;
        auto check = session;
        if (check && check->verify(got, wall_seconds()) != TsigError::none) continue;
        co_return static_cast<std::uint16_t>(read->flags & 0xf);
    }
}

}  // namespace

awaitable<NotifyResult> send_notify(Peer to, zone::RRset soa) {
    NotifyResult out;
    const auto executor = co_await asio::this_coro::executor;
    milliseconds wait = kFirstNotifyWait;
    while (out.tries < kNotifyTries) {
        ++out.tries;
        asio::ip::udp::socket socket(executor);
        const auto endpoint = base::net::to_udp(to.address);
        boost::system::error_code failure;
        socket.open(endpoint.protocol(), failure);
        if (!failure) socket.connect(endpoint, failure);
        const auto begun = std::chrono::steady_clock::now();
        if (!failure) {
            auto answered = notify_once(socket, to, soa);
            const auto rcode = co_await base::async::with_deadline(std::move(answered), wait);
            if (rcode) {
                out.acknowledged = *rcode == 0;
                out.rcode = *rcode;
                co_return out;
            }
            if (rcode.error() == asio::error::operation_aborted) co_return out;
        }
        // An error that comes at once (nobody listens) must not use up the tries.
        const auto left = wait - (std::chrono::steady_clock::now() - begun);
        if (left > left.zero() && out.tries < kNotifyTries) co_await base::async::sleep_for(left);
        wait *= 2;
    }
    co_return out;
}

}  // namespace twinsite::gslb::transfer
