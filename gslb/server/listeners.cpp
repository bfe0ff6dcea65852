// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/listeners.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/log/log.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/server/tcp_server.hpp"
#include "gslb/server/udp_server.hpp"

namespace twinsite::gslb::server {

namespace {

using base::net::Endpoint;

/// With port 0 the kernel picks a port that is free for TCP; UDP may not have it. Then again.
constexpr int kPortAttempts = 16;

std::string cannot_listen(const Endpoint& at, const char* transport, const base::Error& error) {
    return "cannot listen on " + to_string(at) + "/" + transport + ": " + error.message();
}

TcpLimits tcp_limits(const ListenSettings& settings) {
    return {settings.tcp_idle, settings.tcp_max_connections, settings.udp_payload_bytes};
}

/// One address served.
struct Place {
    Endpoint asked;  // as in the settings, where the port may be 0
    std::unique_ptr<UdpServer> udp;
    TcpServer::ListenerId tcp = 0;
};

/// The sockets of an address get the same: one line for all of them.
void warn_of_small_buffer(const Endpoint& at, const std::vector<Socket>& sockets) {
    if (sockets.empty()) return;
    const int got = receive_buffer_bytes(sockets.front());
    if (got >= kReceiveBufferBytes) return;
    base::log::event(
        base::log::Level::warning,
        "receive_buffer_small",
        {{"address", to_string(at)}, {"wanted_bytes", kReceiveBufferBytes}, {"got_bytes", got}}
    );
}

/// A place whose sockets are open but not served yet, or more sockets for a place that is.
struct Opened {
    Place place;
    std::vector<Socket> udp_sockets;
    Socket tcp_socket;
};

}  // namespace

struct Listeners::Impl {
    explicit Impl(Publisher& publisher_) : publisher(publisher_) {}

    Place* find(const Endpoint& asked) {
        for (Place& place : places)
            if (place.asked == asked) return &place;
        return nullptr;
    }

    /// Both sockets of a new address. TCP first: it tells whether another server is there.
    std::optional<std::string> open(const Endpoint& asked, unsigned workers, Opened& out) {
        std::string problem;
        for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
            auto accepting = open_tcp(asked);
            if (!accepting) return cannot_listen(asked, "tcp", accepting.error());
            const auto local = local_endpoint(*accepting);
            if (!local) return cannot_listen(asked, "tcp", local.error());
            auto udp = std::make_unique<UdpServer>(publisher, *local);
            auto sockets = udp->open_more(workers);
            if (sockets) {
                out.place = {asked, std::move(udp), 0};
                out.udp_sockets = std::move(*sockets);
                out.tcp_socket = std::move(*accepting);
                return std::nullopt;
            }
            problem = cannot_listen(asked, "udp", sockets.error());
            if (asked.port != 0) break;
        }
        return problem;
    }

    std::optional<std::string> open_all(
        const ListenSettings& settings, std::vector<Opened>& fresh
    ) {
        for (const Endpoint& asked : settings.addresses) {
            if (find(asked) != nullptr) continue;
            if (auto problem = open(asked, settings.workers, fresh.emplace_back())) return problem;
        }
        return std::nullopt;
    }

    /// More workers for the places that stay.
    std::optional<std::string> open_more(
        const ListenSettings& settings, std::vector<std::pair<Place*, std::vector<Socket>>>& more
    ) {
        for (const Endpoint& asked : settings.addresses) {
            Place* const place = find(asked);
            if (place == nullptr || place->udp->worker_count() >= settings.workers) continue;
            auto sockets = place->udp->open_more(settings.workers - place->udp->worker_count());
            if (!sockets) return cannot_listen(asked, "udp", sockets.error());
            more.emplace_back(place, std::move(*sockets));
        }
        return std::nullopt;
    }

    void serve(Opened opened, const ListenSettings& settings) {
        warn_of_small_buffer(opened.place.udp->local(), opened.udp_sockets);
        opened.place.udp->add(std::move(opened.udp_sockets), settings.udp_payload_bytes);
        opened.place.tcp = tcp->listen(std::move(opened.tcp_socket));
        places.push_back(std::move(opened.place));
    }

    void close(Place& place) {
        tcp->close(place.tcp);
        place.udp->shrink(0, retired);
    }

    /// Closes the places that the settings do not name, and puts the others in their order.
    void keep_only(const std::vector<Endpoint>& wanted) {
        std::vector<Place> kept;
        for (const Endpoint& asked : wanted)
            if (Place* const place = find(asked)) {
                kept.push_back(std::move(*place));
                place->asked = {};
            }
        for (Place& place : places)
            if (place.udp) close(place);
        places = std::move(kept);
    }

    // fixed after construction
    Publisher& publisher;
    // owned by the owner's thread; changed under `mutex`, which totals() takes
    std::mutex mutex;
    std::unique_ptr<TcpServer> tcp;
    std::vector<Place> places;
    Totals retired;  // counts of workers that are gone
};

Listeners::Listeners(Publisher& publisher) : impl_(std::make_unique<Impl>(publisher)) {}

Listeners::~Listeners() {
    stop();
}

std::optional<std::string> Listeners::apply(const ListenSettings& settings) {
    const std::size_t readers = settings.addresses.size() * settings.workers + 1;
    // While the change is made, workers of before and after may exist side by side.
    if (readers > Publisher::kMaxReaders / 2)
        return std::to_string(readers - 1) + " UDP workers; at most " +
               std::to_string(Publisher::kMaxReaders / 2 - 1) + " are possible";

    std::vector<Opened> fresh;
    std::vector<std::pair<Place*, std::vector<Socket>>> more;
    if (auto problem = impl_->open_all(settings, fresh)) return problem;
    if (auto problem = impl_->open_more(settings, more)) return problem;

    const std::lock_guard lock(impl_->mutex);
    if (!impl_->tcp)
        impl_->tcp = std::make_unique<TcpServer>(impl_->publisher, tcp_limits(settings));
    else
        impl_->tcp->set_limits(tcp_limits(settings));
    for (auto& [place, sockets] : more)
        place->udp->add(std::move(sockets), settings.udp_payload_bytes);
    for (Opened& opened : fresh) impl_->serve(std::move(opened), settings);
    impl_->keep_only(settings.addresses);
    for (Place& place : impl_->places) {
        place.udp->shrink(settings.workers, impl_->retired);
        place.udp->set_payload_bytes(settings.udp_payload_bytes);
    }
    return std::nullopt;
}

std::vector<base::net::Endpoint> Listeners::addresses() const {
    std::vector<base::net::Endpoint> out;
    for (const Place& place : impl_->places) out.push_back(place.udp->local());
    return out;
}

Totals Listeners::totals() const {
    const std::lock_guard lock(impl_->mutex);
    Totals out = impl_->retired;
    // Names every counter even before anything is served.
    add_to(out, Counters());
    if (impl_->tcp) add_to(out, impl_->tcp->counters());
    for (const Place& place : impl_->places) place.udp->add_counters(out);
    return out;
}

void Listeners::stop() {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->tcp) return;
    for (Place& place : impl_->places) place.udp->shrink(0, impl_->retired);
    impl_->places.clear();
    impl_->tcp->stop();
    add_to(impl_->retired, impl_->tcp->counters());
    impl_->tcp.reset();
}

}  // namespace twinsite::gslb::server
