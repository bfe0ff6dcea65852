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
    Impl(const base::http::Router& router, const base::http::Router& tls_router)
        : work(io.get_executor()), server(io, router), tls_server(io, tls_router) {}

    net::io_context io{1};
    net::executor_work_guard<net::io_context::executor_type> work;
    base::http::Server server;
    base::http::Server tls_server;
    std::thread thread;
};

ApiThread::ApiThread(const base::http::Router& router, const base::http::Router& tls_router)
    : impl_(std::make_unique<Impl>(router, tls_router)) {}

ApiThread::~ApiThread() {
    impl_->io.stop();
    if (impl_->thread.joinable()) impl_->thread.join();
}

base::Result<void> ApiThread::listen_tls(const ControlListener& at) {
    base::http::TlsServer tls;
    tls.certificate = at.tls.certificate;
    tls.key = at.tls.key;
    tls.client_ca = at.ca;
    tls.crl = at.crl;
    const auto listening = impl_->tls_server.listen_tls(at.listen, tls);
    if (!listening) return listening.error();
    return {};
}

base::Result<void> ApiThread::start(const std::string& socket_path) {
    auto listening = impl_->server.listen_unix(socket_path, 0660);
    if (!listening) return listening;
    impl_->thread = std::thread([io = &impl_->io] { io->run(); });
    return {};
}

void ApiThread::stop(std::function<void()> stopped) {
    net::post(impl_->io, [this, stopped = std::move(stopped)]() mutable {
        impl_->tls_server.stop([this, stopped = std::move(stopped)]() mutable {
            impl_->server.stop(std::move(stopped));
        });
    });
}

}  // namespace twinsite::gslb
