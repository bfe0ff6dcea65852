// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/async/backoff.hpp"
#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls.hpp"
#include "base/http/tls_files.hpp"
#include "base/log/log.hpp"
#include "base/net/asio.hpp"
#include "base/net/listen.hpp"
#include "gslb/group/group_state.hpp"
#include "wire/contract/identity.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {

namespace asio = boost::asio;
namespace log = base::log;
using asio::awaitable;
using base::Error;
using base::Result;
using base::async::as_result;
using base::async::with_deadline;
using base::http::Stream;
using log::Level;
using std::chrono::milliseconds;
using wire::group::Kind;
using Clock = std::chrono::steady_clock;
using StreamResult = Result<std::unique_ptr<Stream>>;

namespace {

constexpr milliseconds kHandshake{3'000};
constexpr milliseconds kLeastConnect{1'000};
constexpr milliseconds kLongestPause{5'000};
/// Handshakes of strangers at one time; the group is small.
constexpr std::size_t kMostUnknown = 32;

std::optional<wire::contract::Identity> gslb_identity(std::string_view uri) {
    auto out = wire::contract::parse_identity(uri);
    if (out && out->role != "gslb") out.reset();
    return out;
}

bool is_wildcard(const base::text::IpAddress& address) {
    return address == base::text::IpAddress{address.family, {}};
}

}  // namespace

Group::State::State(asio::io_context& io, GroupSettings settings, SharedState& shared)
    : io_(io),
      settings_(std::move(settings)),
      shared_(shared),
      random_(std::random_device{}()),
      tasks_(io.get_executor()) {
    for (const auto& peer : settings_.peers) {
        auto& member = members_.emplace_back(std::make_shared<Member>());
        member->view.name = peer.name;
        member->view.address = peer.address;
    }
}

// ---------------------------------------------------------------- start and end

Result<base::net::Endpoint> Group::State::start() {
    auto server = base::http::TlsFiles::for_server(settings_.server);
    if (!server) return server.error();
    auto client = base::http::TlsFiles::for_client(settings_.client);
    if (!client) return client.error();
    server_files_ = *std::move(server);
    client_files_ = *std::move(client);
    auto acceptor = base::net::listen_tcp(io_.get_executor(), settings_.listen);
    if (!acceptor) return acceptor.error();
    acceptor_ = *std::move(acceptor);
    Error failure;
    const auto at = acceptor_->local_endpoint(failure);
    if (failure) return failure;
    tasks_.start(accept(shared_from_this()));
    for (const auto& member : members_) tasks_.start(dial(shared_from_this(), member));
    tasks_.start(beat(shared_from_this()));
    return base::net::from_asio(at);
}

void Group::State::stop() {
    if (std::exchange(stopping_, true)) return;
    Error ignored;
    if (acceptor_) acceptor_->close(ignored);
    // With `draining` set. The links themselves end with this object.
    for (const auto& member : members_)
        if (member->link) greet(*member);
}

void Group::State::abort() {
    stopping_ = true;
    Error ignored;
    if (acceptor_) acceptor_->close(ignored);
    for (const auto& member : members_) {
        if (member->link) member->link->close();
        member->talk.reset();
    }
    tasks_.cancel();
}

// ---------------------------------------------------------------- links

awaitable<void> Group::State::accept(std::shared_ptr<State> self) {
    constexpr milliseconds kPause{100};
    while (!self->stopping_) {
        auto [failure, socket] = co_await self->acceptor_->async_accept(as_result);
        if (failure == asio::error::operation_aborted || !self->acceptor_->is_open()) co_return;
        if (failure) {
            co_await base::async::sleep_for(kPause);
            continue;
        }
        if (self->unknown_ >= kMostUnknown) {
            ++self->counters_.refused;
            continue;  // the socket closes itself
        }
        auto stream =
            base::http::make_tls_server_stream(std::move(socket), self->server_files_->context());
        self->tasks_.start(welcome(self, std::move(stream)));
    }
}

awaitable<Result<void>> Group::State::shake_hands(Stream& stream) {
    ++unknown_;
    auto done = co_await with_deadline(stream.handshake(), kHandshake);
    --unknown_;
    if (done) co_return done;
    std::uint64_t held_back = 0;
    if (base::http::is_tls_refusal(done.error()) && refusals_.allow(Clock::now(), held_back))
        log::event(
            Level::warning,
            "tls_peer_refused",
            {{"peer", stream.peer_address()},
             {"error", done.error().message()},
             {"certificate", stream.distrust()},
             {"held_back", held_back}}
        );
    co_return done;
}

awaitable<void> Group::State::welcome(std::shared_ptr<State> self, std::unique_ptr<Stream> stream) {
    const auto shaken = co_await self->shake_hands(*stream);
    if (!shaken) co_return;
    const auto identity = gslb_identity(stream->peer_identity());
    const auto member = identity ? self->find(identity->name) : nullptr;
    if (!member) {
        ++self->counters_.refused;
        log::event(
            Level::warning,
            "group_peer_refused",
            {{"peer", stream->peer_address()},
             {"identity", stream->peer_identity()},
             {"cause", "its certificate is not that of a gslb among group.peers"}}
        );
        co_return;
    }
    auto link = std::make_shared<Link>(self->io_.get_executor(), std::move(stream), false);
    co_await self->serve(member, std::move(link));
}

awaitable<StreamResult> Group::State::connect(MemberRef member) {
    const auto to = base::net::to_tcp(member->view.address);
    asio::ip::tcp::socket socket(io_);
    Error failure;
    socket.open(to.protocol(), failure);
    auto from = settings_.listen;
    from.port = 0;
    const bool bind =
        !is_wildcard(from.address) && from.address.family == member->view.address.address.family;
    if (!failure && bind) socket.bind(base::net::to_tcp(from), failure);
    if (failure) co_return failure;
    const auto [refused] = co_await socket.async_connect(to, as_result);
    if (refused) co_return refused;
    const auto name = member->view.name;
    auto stream = base::http::make_tls_client_stream(
        std::move(socket),
        client_files_->context(),
        base::text::to_string(member->view.address.address),
        [name](std::string_view uri) {
            const auto identity = gslb_identity(uri);
            return identity && identity->name == name;
        }
    );
    if (!stream) co_return Error(asio::error::no_memory);
    const auto shaken = co_await stream->handshake();
    if (!shaken) co_return shaken.error();
    co_return std::move(stream);
}

awaitable<void> Group::State::dial(std::shared_ptr<State> self, MemberRef member) {
    // Back soon after a cut, however long it was: a group is small.
    const auto shortest = self->settings_.heartbeat;
    const auto longest = std::max(shortest, std::min(shortest * 10, kLongestPause));
    const auto limit = std::clamp(self->settings_.silent_after, kLeastConnect, kHandshake);
    base::async::Backoff backoff(shortest, longest, [self] { return self->random_(); });
    while (!self->stopping_) {
        if (member->link) {
            backoff.reset();
            co_await base::async::sleep_for(self->settings_.heartbeat);
            continue;
        }
        auto stream = co_await with_deadline(self->connect(member), limit);
        if (!stream) {
            member->view.problem = stream.error().message();
        } else if (*stream) {
            auto link = std::make_shared<Link>(self->io_.get_executor(), *std::move(stream), true);
            const auto ended = co_await self->serve(member, std::move(link));
            if (!ended && !member->link) member->view.problem = ended.error().message();
        }
        const auto pause = backoff.next() + milliseconds(20);
        co_await base::async::sleep_for(pause);
    }
}

awaitable<Result<wire::group::Hello>> Group::State::exchange_hellos(Link& link) {
    const wire::group::Hello own{
        settings_.node,
        settings_.site,
        TWINSITE_VERSION,
        wire::group::kFirstVersion,
        wire::group::kLastVersion
    };
    link.send(Kind::hello, encode(own));
    const auto sent = co_await link.flush(kHandshake);
    if (!sent) co_return sent.error();
    const auto first = co_await link.first_frame(kHandshake);
    if (!first) co_return first.error();
    if (first->kind != Kind::hello) co_return Error(wire::group::Errc::unknown_version);
    auto hello = wire::group::decode_hello(first->payload);
    if (!hello) co_return hello.error();
    const auto version = wire::group::agree(
        own.first_version, own.last_version, hello->first_version, hello->last_version
    );
    if (!version) co_return Error(wire::group::Errc::unknown_version);
    link.speak(*version);
    co_return hello;
}

awaitable<Result<void>> Group::State::serve(MemberRef member, std::shared_ptr<Link> link) {
    const auto self = shared_from_this();  // this outlives the link
    const auto hello = co_await exchange_hellos(*link);
    if (!hello) {
        ++counters_.refused;
        link->close();
        co_return hello.error();
    }
    if (stopping_ || !install(*member, link, *hello)) {
        link->close();
        co_return Result<void>();
    }
    const auto ended = co_await link->run([this, member, link](const wire::group::Frame& frame) {
        return member->link == link && take(*member, frame);
    });
    link->close();
    counters_.gossip_dropped += link->dropped();
    uninstall(*member, link, ended ? Error() : ended.error());
    co_return ended;
}

/// Both sides may have opened a link: that of the smaller name stays.
bool Group::State::prefers(const Member& member, const Link& link) const {
    return link.dialed() == (settings_.node < member.view.name);
}

bool Group::State::install(
    Member& member, const std::shared_ptr<Link>& link, const wire::group::Hello& hello
) {
    const bool keeps_old = member.link && member.link->dialed() != link->dialed() &&
                           prefers(member, *member.link) && !is_silent(member);
    if (keeps_old) return false;
    if (member.link) member.link->close();
    member.link = link;
    member.heard = Clock::now();
    member.heard_seq = 0;
    auto& view = member.view;
    view.site = hello.site;
    view.program = hello.program;
    view.connected = true;
    view.protocol = link->version();
    view.draining = false;
    view.problem.clear();
    member.talk = std::make_unique<Talk>(
        view,
        shared_,
        link->version(),
        [this, raw = link.get()](Kind kind, std::string payload) {
            ++counters_.frames_out;
            raw->send(kind, std::move(payload));
        }
    );
    ++counters_.links_opened;
    log::event(
        Level::info,
        "group_link_up",
        {{"peer", view.name},
         {"address", link->stream().peer_address()},
         {"protocol", unsigned{view.protocol}},
         {"program", view.program}}
    );
    greet(member);
    member.talk->begin();
    notice();
    return true;
}

void Group::State::uninstall(Member& member, const std::shared_ptr<Link>& link, const Error& why) {
    if (member.link != link) return;
    member.talk.reset();
    member.link.reset();
    member.view.connected = false;
    member.view.protocol = 0;
    member.view.problem = why.message();
    ++counters_.links_lost;
    log::event(
        member.view.draining || stopping_ ? Level::info : Level::warning,
        "group_link_down",
        {{"peer", member.view.name},
         {"cause", member.view.draining ? std::string("it ends on purpose") : why.message()}}
    );
    if (!stopping_) notice();
}

}  // namespace twinsite::gslb::group
