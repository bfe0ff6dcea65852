// SPDX-License-Identifier: Apache-2.0
#include "probe/diameter.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"
#include "base/text/text.hpp"
#include "probe/measure.hpp"
#include "wire/diameter/base_messages.hpp"
#include "wire/diameter/framer.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
namespace diameter = wire::diameter;
using asio::awaitable;
using base::Error;
using base::Result;
using base::async::as_result;
using std::chrono::milliseconds;
using Message = std::span<const std::uint8_t>;

namespace {

diameter::Identity identity_of(const DiameterAsk& ask) {
    diameter::Identity out;
    out.host = ask.origin_host;
    out.realm = ask.origin_realm;
    out.product = "Twinsite probe";
    out.auth_applications = ask.applications;
    return out;
}

class Wire {
public:
    explicit Wire(asio::any_io_executor executor) : socket_(std::move(executor)) {}

    awaitable<Result<void>> connect(Place place);
    awaitable<Result<void>> write(std::vector<std::uint8_t> bytes);
    /// The answer with this Hop-by-Hop Identifier; what comes before it is not looked at, so a
    /// watchdog of the peer's own waits: we are gone before it minds.
    awaitable<Result<Message>> answer(std::uint32_t id);
    base::text::IpAddress own_address() const {
        Error ignored;
        return base::net::from_asio(socket_.local_endpoint(ignored)).address;
    }

private:
    asio::ip::tcp::socket socket_;
    diameter::Framer framer_;
};

awaitable<Result<void>> Wire::connect(Place place) {
    Error failure;
    const auto to = base::net::to_tcp(place.target);
    socket_.open(to.protocol(), failure);
    if (!failure && place.source) socket_.bind({base::net::to_asio(*place.source), 0}, failure);
    if (failure) co_return failure;
    const auto [refused] = co_await socket_.async_connect(to, as_result);
    if (refused) co_return refused;
    co_return Result<void>();
}

awaitable<Result<void>> Wire::write(std::vector<std::uint8_t> bytes) {
    const auto buffer = asio::buffer(bytes);
    const auto [failure, size] = co_await asio::async_write(socket_, buffer, as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

awaitable<Result<Message>> Wire::answer(std::uint32_t id) {
    while (true) {
        while (const auto message = framer_.next()) {
            const diameter::HeaderView header(message->data());
            if (!header.is_request() && header.hop_by_hop() == id) co_return Message(*message);
        }
        if (framer_.fault()) co_return Error(asio::error::invalid_argument);
        const auto room = framer_.prepare();
        const auto buffer = asio::buffer(room.data(), room.size());
        const auto [failure, size] = co_await socket_.async_read_some(buffer, as_result);
        if (failure) co_return failure;
        framer_.commit(size);
    }
}

struct Verdict {
    std::string fault;
    std::string host;
};

Verdict judge(Message answer, std::uint32_t command, const char* name, const DiameterAsk& ask) {
    Verdict out;
    diameter::Capabilities read;
    if (diameter::HeaderView(answer.data()).command() != command) {
        out.fault = std::string("another answer in place of ") + name;
    } else if (const auto defect = diameter::read_capabilities(answer, read)) {
        out.fault = std::string("malformed ") + name + ": " + std::string(defect->text);
    } else if (!read.result_code) {
        out.fault = std::string(name) + " without Result-Code";
    } else if (const auto& good = ask.expect_result;
               std::find(good.begin(), good.end(), *read.result_code) == good.end()) {
        out.fault = std::string(name) + " with Result-Code " + std::to_string(*read.result_code);
    }
    out.host = base::text::printable(read.host);
    return out;
}

awaitable<Result<Verdict>> talk(Wire& wire, Place place, DiameterAsk ask, std::uint32_t id) {
    const auto connected = co_await wire.connect(place);
    if (!connected) co_return connected.error();
    auto self = identity_of(ask);
    self.addresses = {wire.own_address()};
    std::vector<std::uint8_t> cer;
    diameter::build_cer(cer, self, id, id);
    const auto greeted = co_await wire.write(std::move(cer));
    if (!greeted) co_return greeted.error();
    const auto cea = co_await wire.answer(id);
    if (!cea) co_return cea.error();
    auto verdict = judge(*cea, diameter::command::kCapabilitiesExchange, "CEA", ask);
    if (!verdict.fault.empty()) co_return verdict;
    const auto host = verdict.host;
    std::vector<std::uint8_t> dwr;
    diameter::build_dwr(dwr, self, id + 1, id + 1);
    const auto asked = co_await wire.write(std::move(dwr));
    if (!asked) co_return asked.error();
    const auto dwa = co_await wire.answer(id + 1);
    if (!dwa) co_return dwa.error();
    verdict = judge(*dwa, diameter::command::kDeviceWatchdog, "DWA", ask);
    verdict.host = host;
    co_return verdict;
}

/// So that the peer does not count a broken link.
awaitable<Result<void>> say_goodbye(Wire& wire, DiameterAsk ask, std::uint32_t id) {
    std::vector<std::uint8_t> dpr;
    const auto cause = diameter::DisconnectCause::do_not_want_to_talk;
    diameter::build_dpr(dpr, identity_of(ask), cause, id, id);
    const auto sent = co_await wire.write(std::move(dpr));
    if (!sent) co_return sent.error();
    const auto answered = co_await wire.answer(id);
    if (!answered) co_return answered.error();
    co_return Result<void>();
}

}  // namespace

awaitable<Outcome> DiameterProbe::run(milliseconds limit) {
    const Stopwatch watch;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const auto id = next_id_;
    next_id_ += 3;
    const auto executor = co_await asio::this_coro::executor;
    Wire wire(executor);
    auto talking = talk(wire, place_, ask_, id);
    const auto verdict = co_await base::async::with_deadline(std::move(talking), limit);
    if (!verdict) co_return watch.failed(verdict.error());
    auto out = verdict->fault.empty() ? watch.good() : watch.bad(verdict->fault);
    out.note = verdict->host;
    if (!out.ok) co_return out;
    // The verdict stands already.
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
    auto leaving = say_goodbye(wire, ask_, id + 2);
    const auto left_well = co_await base::async::with_deadline(
        std::move(leaving), std::clamp(left, milliseconds(1), milliseconds(200))
    );
    static_cast<void>(left_well);
    co_return out;
}

}  // namespace twinsite::probe
