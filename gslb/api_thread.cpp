// SPDX-License-Identifier: Apache-2.0
#include "gslb/api_thread.hpp"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/http/server.hpp"

namespace twinsite::gslb {

namespace net = boost::asio;

struct ApiThread::Impl {
    explicit Impl(const base::http::Router& router) : work(io.get_executor()), server(io, router) {}

    net::io_context io{1};
    net::executor_work_guard<net::io_context::executor_type> work;
    base::http::Server server;
    std::thread thread;
};

ApiThread::ApiThread(const base::http::Router& router) : impl_(std::make_unique<Impl>(router)) {}

ApiThread::~ApiThread() {
    impl_->io.stop();
    if (impl_->thread.joinable()) impl_->thread.join();
}

base::Result<void> ApiThread::start(const std::string& socket_path) {
    auto listening = impl_->server.listen_unix(socket_path, 0660);
    if (!listening) return listening;
    impl_->thread = std::thread([io = &impl_->io] { io->run(); });
    return {};
}

void ApiThread::stop(std::function<void()> stopped) {
    net::post(impl_->io, [this, stopped = std::move(stopped)]() mutable {
        impl_->server.stop(std::move(stopped));
    });
}

}  // namespace twinsite::gslb
