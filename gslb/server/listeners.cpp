// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/listeners.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <random>
#include <sys/socket.h>
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

wire::dns::CookieSecrets random_secrets() {
    std::random_device device;
    wire::dns::CookieSecrets out;
    for (auto& byte : out.current) byte = static_cast<std::uint8_t>(device());
    return out;
}

bool is_udp(const Socket& socket) {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(socket.number(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
           type == SOCK_DGRAM;
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

    WorkerSeams seams() const { return {publisher, book, logged_queries, dnstap}; }

    /// Gives the rules to the threads when they have changed.
    void rule() {
        rules.conduct.cookie_secrets = secrets;
        rules.conduct.keepalive_100ms =
            static_cast<std::uint16_t>(std::min<std::int64_t>(rules.tcp.idle.count() / 100, 0xffff)
            );
        if (*book.get() == rules) return;
        book.set(std::make_shared<const Rules>(rules));
        if (tcp) tcp->rules_changed();
    }

    /// Takes those of the inherited sockets that are bound to `at`.
    std::vector<Socket> take_inherited(const Endpoint& at, bool udp) {
        std::vector<Socket> out;
        for (Socket& socket : inherited) {
            if (!socket.is_open() || is_udp(socket) != udp) continue;
            const auto local = local_endpoint(socket);
            if (local && *local == at) out.push_back(std::move(socket));
        }
        return out;
    }

    /// An address that another process has served so far. All its sockets are taken, since packets
    /// wait in each; apply() closes what is too many in the end.
    std::optional<std::string> open_inherited(
        const Endpoint& asked, unsigned workers, Opened& out
    ) {
        auto accepting = take_inherited(asked, false);
        if (accepting.empty()) return open(asked, workers, out);
        out.tcp_socket = std::move(accepting.front());
        out.udp_sockets = take_inherited(asked, true);
        auto udp = std::make_unique<UdpServer>(seams(), asked);
        if (out.udp_sockets.size() < workers) {
            auto more = udp->open_more(workers - out.udp_sockets.size());
            if (!more) return cannot_listen(asked, "udp", more.error());
            std::move(more->begin(), more->end(), std::back_inserter(out.udp_sockets));
        }
        out.place = {asked, std::move(udp), 0};
        return std::nullopt;
    }

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
            auto udp = std::make_unique<UdpServer>(seams(), *local);
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
            if (auto problem = open_inherited(asked, settings.workers, fresh.emplace_back()))
                return problem;
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

    void serve(Opened opened) {
        warn_of_small_buffer(opened.place.udp->local(), opened.udp_sockets);
        opened.place.udp->add(std::move(opened.udp_sockets));
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
    RuleBook book;
    // owned by the owner's thread
    Rules rules;
    wire::dns::CookieSecrets secrets = random_secrets();
    std::size_t logged_queries = 0;
    std::shared_ptr<Dnstap> dnstap;
    std::vector<Socket> inherited;
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

    impl_->logged_queries = settings.logged_queries;
    if (!settings.dnstap_socket.empty() && !impl_->dnstap) {
        auto dnstap = Dnstap::open(settings.dnstap_socket, settings.node, settings.version);
        if (!dnstap) return "cannot copy queries to dnstap: " + dnstap.error().message();
        impl_->dnstap = *std::move(dnstap);
    }
    std::vector<Opened> fresh;
    std::vector<std::pair<Place*, std::vector<Socket>>> more;
    if (auto problem = impl_->open_all(settings, fresh)) return problem;
    if (auto problem = impl_->open_more(settings, more)) return problem;

    impl_->rules.conduct = settings.conduct;
    impl_->rules.rate_limit = settings.rate_limit;
    impl_->rules.tcp = settings.tcp;
    impl_->rule();
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->tcp) impl_->tcp = std::make_unique<TcpServer>(impl_->seams());
    for (auto& [place, sockets] : more) place->udp->add(std::move(sockets));
    for (Opened& opened : fresh) impl_->serve(std::move(opened));
    impl_->keep_only(settings.addresses);
    for (Place& place : impl_->places) place.udp->shrink(settings.workers, impl_->retired);
    impl_->inherited.clear();
    return std::nullopt;
}

void Listeners::set_cookie_secrets(const wire::dns::CookieSecrets& secrets) {
    impl_->secrets = secrets;
    impl_->rule();
}

const wire::dns::CookieSecrets& Listeners::cookie_secrets() const {
    return impl_->secrets;
}

void Listeners::set_transfers(std::shared_ptr<TransferSeam> transfers) {
    impl_->rules.transfers = std::move(transfers);
    impl_->rule();
}

std::vector<QueryRecord> Listeners::last_queries(std::size_t count) const {
    const std::lock_guard lock(impl_->mutex);
    std::vector<QueryRecord> out;
    const auto take = [&](const QueryRing& ring) {
        auto some = ring.last(count);
        std::move(some.begin(), some.end(), std::back_inserter(out));
    };
    if (impl_->tcp) take(impl_->tcp->ring());
    for (const Place& place : impl_->places)
        for (const auto& worker : place.udp->workers()) take(worker->ring());
    // Those of a thread stand in their order already.
    std::vector<std::size_t> order(out.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto later = static_cast<std::int32_t>(out[a].time_s - out[b].time_s);
        return later != 0 ? later > 0 : a < b;
    });
    std::vector<QueryRecord> sorted;
    for (std::size_t i = 0; i < order.size() && i < count; ++i)
        sorted.push_back(std::move(out[order[i]]));
    return sorted;
}

void Listeners::inherit(std::vector<Socket> sockets) {
    impl_->inherited = std::move(sockets);
}

void Listeners::add_totals(const std::vector<std::pair<std::string, std::uint64_t>>& totals) {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->retired.empty()) add_to(impl_->retired, Counters());
    // By name: another version of the program may have others.
    for (auto& [name, value] : impl_->retired)
        for (const auto& [other, more] : totals)
            if (name == other) value += more;
}

std::vector<int> Listeners::socket_numbers() const {
    std::vector<int> out;
    for (const Place& place : impl_->places) {
        out.push_back(impl_->tcp->number_of(place.tcp));
        for (const auto& worker : place.udp->workers()) out.push_back(worker->socket().number());
    }
    return out;
}

void Listeners::let_go() {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->tcp) return;
    for (Place& place : impl_->places) place.udp->let_go(impl_->retired);
    impl_->tcp->let_go();
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
