// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_server.hpp"

#include <algorithm>
#include <csignal>
#include <future>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <pthread.h>

#include "gslb/server/tcp_connection.hpp"

namespace twinsite::gslb::server {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = TcpConnection::Clock;

/// How long stop() waits for clients to take their last replies.
constexpr std::chrono::milliseconds kFarewell{1000};
/// Pause after a failed accept: out of descriptors, most likely.
constexpr std::chrono::milliseconds kAcceptPause{50};

std::uint64_t random_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

}  // namespace

struct TcpServer::Impl {
    struct Listener {
        explicit Listener(asio::io_context& context) : acceptor(context), pause(context) {}
        tcp::acceptor acceptor;
        asio::steady_timer pause;
    };

    Impl(Publisher& publisher, const TcpLimits& limits)
        : shared(publisher, limits, random_seed()),
          sweep_timer(context),
          farewell_timer(context),
          guard(context.get_executor()) {
        sweep_later();
        thread = std::thread([this] { run(); });
    }

    void run() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        pthread_setname_np(pthread_self(), "dns-tcp");
        context.run();
    }

    /// Runs `work` in the thread and waits for its end.
    template <class Work>
    void in_thread(Work work) {
        // Shared: the task still runs its last instructions when the future is ready.
        const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));
        std::future<void> done = task->get_future();
        asio::post(context, [task] { (*task)(); });
        done.get();
    }

    void accept(const std::shared_ptr<Listener>& listener) {
        listener->acceptor.async_accept(
            [this, listener](const boost::system::error_code& error, tcp::socket socket) {
                if (!listener->acceptor.is_open()) return;
                if (error == asio::error::operation_aborted) return;
                if (error) return accept_after_pause(listener);
                add(std::move(socket));
                accept(listener);
            }
        );
    }

    void accept_after_pause(const std::shared_ptr<Listener>& listener) {
        crowd_out();
        listener->pause.expires_after(kAcceptPause);
        listener->pause.async_wait([this, listener](const boost::system::error_code& error) {
            if (!error && listener->acceptor.is_open()) accept(listener);
        });
    }

    void add(tcp::socket socket) {
        shared.counters.tcp_connections.add();
        while (!shared.connections.empty() &&
               shared.connections.size() >= shared.limits.max_connections)
            crowd_out();
        const auto connection = std::make_shared<TcpConnection>(std::move(socket), shared);
        shared.connections.push_back(connection);
        connection->start(std::prev(shared.connections.end()));
    }

    /// Closes the longest idle connection.
    void crowd_out() {
        if (shared.connections.empty()) return;
        const auto longest_idle = shared.connections.front();
        shared.counters.tcp_crowded_out.add();
        longest_idle->close();
    }

    void sweep_later() {
        using std::chrono::milliseconds;
        sweep_timer.expires_after(
            std::clamp<milliseconds>(shared.limits.idle / 8, milliseconds(10), milliseconds(1000))
        );
        sweep_timer.async_wait([this](const boost::system::error_code& error) {
            if (error) return;
            sweep();
            sweep_later();
        });
    }

    void sweep() {
        const Clock::time_point limit = Clock::now() - shared.limits.idle;
        while (!shared.connections.empty()) {
            const auto longest_idle = shared.connections.front();
            if (longest_idle->last_progress() > limit) return;
            shared.counters.tcp_idle_closed.add();
            longest_idle->close();
        }
    }

    /// Takes the connections that the kernel has completed already.
    void drain(Listener& listener) {
        boost::system::error_code error;
        listener.acceptor.non_blocking(true, error);
        while (!error) {
            tcp::socket socket(context);
            listener.acceptor.accept(socket, error);
            if (!error) add(std::move(socket));
        }
        listener.acceptor.close(error);
        listener.pause.cancel();
    }

    void begin_farewell() {
        for (auto& [id, listener] : listeners) drain(*listener);
        listeners.clear();
        sweep_timer.cancel();
        // finish() may take a connection off the list.
        const std::vector<std::shared_ptr<TcpConnection>> all(
            shared.connections.begin(), shared.connections.end()
        );
        for (const auto& connection : all) connection->finish();
        farewell_timer.expires_after(kFarewell);
        farewell_timer.async_wait([this](const boost::system::error_code&) {
            while (!shared.connections.empty()) {
                const auto slow = shared.connections.front();
                slow->close();
            }
        });
        guard.reset();
        await_farewell();
    }

    /// Ends the farewell early when the last connection is gone.
    void await_farewell() {
        if (shared.connections.empty()) {
            farewell_timer.cancel();
            return;
        }
        sweep_timer.expires_after(std::chrono::milliseconds(5));
        sweep_timer.async_wait([this](const boost::system::error_code& error) {
            if (!error) await_farewell();
        });
    }

    // owned by thread
    asio::io_context context{1};
    TcpShared shared;
    std::map<ListenerId, std::shared_ptr<Listener>> listeners;
    asio::steady_timer sweep_timer;
    asio::steady_timer farewell_timer;
    asio::executor_work_guard<asio::io_context::executor_type> guard;
    // owned by the owner of the server
    ListenerId next_id = 0;
    std::thread thread;
};

TcpServer::TcpServer(Publisher& publisher, const TcpLimits& limits)
    : impl_(std::make_unique<Impl>(publisher, limits)) {}

TcpServer::~TcpServer() {
    stop();
}

TcpServer::ListenerId TcpServer::listen(Socket listening) {
    const ListenerId id = impl_->next_id++;
    impl_->in_thread([this, id, &listening] {
        const auto listener = std::make_shared<Impl::Listener>(impl_->context);
        const auto local = local_endpoint(listening);
        const bool v6 = local && local->address.family == base::text::Family::v6;
        listener->acceptor.assign(v6 ? tcp::v6() : tcp::v4(), listening.release());
        impl_->listeners.emplace(id, listener);
        impl_->accept(listener);
    });
    return id;
}

void TcpServer::close(ListenerId id) {
    impl_->in_thread([this, id] {
        const auto found = impl_->listeners.find(id);
        if (found == impl_->listeners.end()) return;
        impl_->drain(*found->second);
        impl_->listeners.erase(found);
    });
}

void TcpServer::set_limits(const TcpLimits& limits) {
    impl_->in_thread([this, limits] {
        impl_->shared.limits = limits;
        impl_->sweep_later();
    });
}

void TcpServer::stop() {
    if (!impl_->thread.joinable()) return;
    impl_->in_thread([this] { impl_->begin_farewell(); });
    impl_->thread.join();
}

const Counters& TcpServer::counters() const {
    return impl_->shared.counters;
}

}  // namespace twinsite::gslb::server
