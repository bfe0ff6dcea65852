// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "base/error/check.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/server/tcp_connection.hpp"

namespace twinsite::gslb::server {

namespace {

using Clock = TcpShared::Clock;
using std::chrono::milliseconds;

/// How long stop() waits for clients to take their last replies.
constexpr milliseconds kFarewell{1000};
/// Pause after a failed accept: out of descriptors, most likely.
constexpr milliseconds kAcceptPause{50};
/// Events per look, and connections accepted before the others get their turn.
constexpr std::size_t kEvents = 128;
constexpr int kAccepts = 64;

std::uint64_t random_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

std::uint32_t coarse_time_s() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return static_cast<std::uint32_t>(now.tv_sec);
}

}  // namespace

/// The thread and its loop over epoll. Owner's calls reach it as tasks through an eventfd.
struct TcpServer::Impl {
    explicit Impl(const WorkerSeams& seams)
        : shared(seams, random_seed()),
          poller(::epoll_create1(EPOLL_CLOEXEC)),
          bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        BASE_CHECK(poller.is_open() && bell.is_open());
        shared.poller = poller.number();
        watch(bell, kBell);
        thread = std::thread([this] { run(); });
    }

    /// Events carry the pointer of a connection, or an odd number for what is none.
    static constexpr std::uint64_t kBell = 1;
    static std::uint64_t name_of(ListenerId id) { return (std::uint64_t{id} + 1) << 1 | 1; }

    void watch(const Socket& socket, std::uint64_t name) const {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = name;
        BASE_CHECK(::epoll_ctl(poller.number(), EPOLL_CTL_ADD, socket.number(), &event) == 0);
    }

    /// Closing would not do: another process may hold the same socket.
    void unwatch(const Socket& socket) const {
        ::epoll_ctl(poller.number(), EPOLL_CTL_DEL, socket.number(), nullptr);
    }

    // ------------------------------------------------------------ owner's side

    /// Runs `work` in the thread and waits for its end.
    void in_thread(const std::function<void()>& work) {
        // Shared: the task still runs its last instructions when the future is ready.
        const auto done = std::make_shared<std::promise<void>>();
        {
            const std::lock_guard lock(mutex);
            tasks.emplace_back([done, &work] {
                work();
                done->set_value();
            });
        }
        const std::uint64_t one = 1;
        BASE_CHECK(::write(bell.number(), &one, sizeof one) == sizeof one);
        done->get_future().get();
    }

    // ------------------------------------------------------------ the thread

    void run() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        pthread_setname_np(pthread_self(), "dns-tcp");
        std::array<epoll_event, kEvents> events;
        while (!(ending && shared.connections.empty())) {
            const int count =
                ::epoll_wait(poller.number(), events.data(), kEvents, wait_limit_ms());
            begin_turn();
            for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
            close_silent();
            shared.closed.clear();
        }
    }

    void begin_turn() {
        shared.now = Clock::now();
        shared.now_s = coarse_time_s();
        shared.rules = &shared.rule_reader.get();
        if (shared.tap) shared.tap->take_time();
    }

    int wait_limit_ms() {
        Clock::time_point limit = Clock::time_point::max();
        if (!shared.connections.empty())
            limit = shared.connections.front().last_progress() + shared.rule_reader.get().tcp.idle;
        if (ending) limit = std::min(limit, farewell_end);
        if (accept_again) limit = std::min(limit, *accept_again);
        if (limit == Clock::time_point::max()) return -1;
        const auto left = std::chrono::ceil<milliseconds>(limit - Clock::now());
        return static_cast<int>(std::clamp(left, milliseconds(0), milliseconds(60'000)).count());
    }

    void handle(const epoll_event& event) {
        const std::uint64_t name = event.data.u64;
        if ((name & 1) == 0) return static_cast<TcpConnection*>(event.data.ptr)->on_event();
        if (name == kBell) return run_tasks();
        for (auto& [id, listening] : listeners)
            if (name == name_of(id)) return accept_some(listening, kAccepts);
    }

    void run_tasks() {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(bell.number(), &count, sizeof count);
        std::vector<std::function<void()>> now;
        {
            const std::lock_guard lock(mutex);
            now.swap(tasks);
        }
        for (const auto& task : now) task();
    }

    // ------------------------------------------------------------ connections

    void accept_some(Socket& listening, int most) {
        for (int i = 0; i < most && listening.is_open(); ++i) {
            base::net::SocketAddress from;
            from.size = sizeof from.storage;
            Socket socket(
                ::accept4(listening.number(), from.data(), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC)
            );
            if (!socket.is_open()) {
                if (errno == EAGAIN || errno == EWOULDBLOCK) return;
                if (errno == EINTR || errno == ECONNABORTED) continue;
                return pause_accepting();
            }
            if (const auto peer = base::net::from_socket_address(from))
                add(std::move(socket), *peer);
        }
    }

    void add(Socket socket, const base::net::Endpoint& peer) {
        shared.counters.tcp_connections.add();
        const TcpLimits& limits = shared.rules->tcp;
        if (limits.max_per_address != 0) {
            const auto held = shared.per_address.find(TcpConnection::address_key(peer.address));
            if (held != shared.per_address.end() && held->second >= limits.max_per_address)
                return shared.counters.tcp_too_many.add();  // the socket closes here
        }
        while (shared.connections.size() >= limits.max_connections) {
            shared.counters.tcp_crowded_out.add();
            shared.connections.front().close();
        }
        shared.connections.emplace_back(std::move(socket), peer, shared);
        shared.connections.back().start(std::prev(shared.connections.end()));
    }

    /// A listening socket that cannot give a connection would wake us for ever.
    void pause_accepting() {
        for (auto& [id, listening] : listeners) unwatch(listening);
        accept_again = Clock::now() + kAcceptPause;
    }

    void close_silent() {
        if (accept_again && shared.now >= *accept_again) {
            accept_again.reset();
            for (auto& [id, listening] : listeners) watch(listening, name_of(id));
        }
        const bool late = ending && shared.now >= farewell_end;
        while (!shared.connections.empty()) {
            TcpConnection& longest_idle = shared.connections.front();
            if (!late) {
                if (longest_idle.last_progress() + shared.rules->tcp.idle > shared.now) return;
                shared.counters.tcp_idle_closed.add();
            }
            longest_idle.close();
        }
    }

    /// Takes the connections that the kernel has completed already.
    void drain(ListenerId id) {
        const auto found = listeners.find(id);
        if (found == listeners.end()) return;
        accept_some(found->second, std::numeric_limits<int>::max());
        unwatch(found->second);
        listeners.erase(found);
    }

    void let_go() {
        for (auto& [id, listening] : listeners) unwatch(listening);
        listeners.clear();
    }

    void begin_farewell() {
        while (!listeners.empty()) drain(listeners.begin()->first);
        ending = true;
        farewell_end = shared.now + kFarewell;
        // finish() may take a connection off the list.
        for (auto next = shared.connections.begin(); next != shared.connections.end();) {
            TcpConnection& connection = *next++;
            connection.finish();
        }
    }

    // owned by thread
    TcpShared shared;
    const Socket poller;
    const Socket bell;
    std::map<ListenerId, Socket> listeners;
    std::optional<Clock::time_point> accept_again;
    bool ending = false;
    Clock::time_point farewell_end;
    // guarded by mutex
    std::mutex mutex;
    std::vector<std::function<void()>> tasks;
    // owned by the owner of the server
    ListenerId next_id = 0;
    std::thread thread;
};

TcpServer::TcpServer(const WorkerSeams& seams) : impl_(std::make_unique<Impl>(seams)) {}

TcpServer::~TcpServer() {
    stop();
}

TcpServer::ListenerId TcpServer::listen(Socket listening) {
    const ListenerId id = impl_->next_id++;
    impl_->in_thread([this, id, &listening] {
        Socket& kept = impl_->listeners.emplace(id, std::move(listening)).first->second;
        impl_->watch(kept, Impl::name_of(id));
    });
    return id;
}

void TcpServer::close(ListenerId id) {
    impl_->in_thread([this, id] { impl_->drain(id); });
}

void TcpServer::rules_changed() {
    impl_->in_thread([] {});
}

void TcpServer::stop() {
    if (!impl_->thread.joinable()) return;
    impl_->in_thread([this] { impl_->begin_farewell(); });
    impl_->thread.join();
}

void TcpServer::let_go() {
    if (impl_->thread.joinable()) impl_->in_thread([this] { impl_->let_go(); });
}

int TcpServer::number_of(ListenerId id) const {
    int out = -1;
    impl_->in_thread([this, id, &out] {
        const auto found = impl_->listeners.find(id);
        if (found != impl_->listeners.end()) out = found->second.number();
    });
    return out;
}

const Counters& TcpServer::counters() const {
    return impl_->shared.counters;
}

const QueryRing& TcpServer::ring() const {
    return impl_->shared.ring;
}

}  // namespace twinsite::gslb::server
