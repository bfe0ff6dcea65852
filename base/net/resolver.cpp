// SPDX-License-Identifier: Apache-2.0
#include "base/net/resolver.hpp"

#include <algorithm>
#include <arpa/nameser.h>
#include <array>
#include <map>
#include <utility>

#include <ares.h>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/token.hpp"
#include "base/error/check.hpp"

namespace twinsite::base::net {

namespace asio = boost::asio;
using Addresses = std::vector<text::IpAddress>;

namespace {

Error to_error(int status) {
    switch (status) {
        case ARES_ENOTFOUND:
            return asio::error::host_not_found;
        case ARES_ENODATA:
            return asio::error::no_data;
        case ARES_ETIMEOUT:
            return asio::error::timed_out;
        case ARES_ECONNREFUSED:
            return asio::error::connection_refused;
        case ARES_ECANCELLED:
        case ARES_EDESTRUCTION:
            return asio::error::operation_aborted;
        default:
            return asio::error::host_not_found_try_again;
    }
}

Result<Addresses> read_answer(const unsigned char* bytes, int size) {
    std::array<ares_addrttl, 32> found{};
    int count = static_cast<int>(found.size());
    const int status = ares_parse_a_reply(bytes, size, nullptr, found.data(), &count);
    if (status != ARES_SUCCESS) return to_error(status);
    Addresses out;
    for (int i = 0; i < count; ++i) {
        const auto network_order = found[static_cast<std::size_t>(i)].ipaddr.s_addr;
        out.push_back(text::IpAddress::from_v4(ntohl(network_order)));
    }
    if (out.empty()) return Error(asio::error::no_data);
    return out;
}

std::string servers_text(const std::vector<Endpoint>& servers) {
    std::string out;
    for (const auto& server : servers) out += (out.empty() ? "" : ",") + to_string(server);
    return out;
}

/// One lookup. Shared by the coroutine that waits and the callback that brings the answer:
/// either may go first.
struct Lookup {
    explicit Lookup(const asio::any_io_executor& executor)
        : wake(executor, asio::steady_timer::time_point::max()) {}

    std::optional<Result<Addresses>> result;
    asio::steady_timer wake;
};

}  // namespace

/// A c-ares channel, its sockets watched by Asio. Handlers keep the state alive; after `shut` they
/// find no channel and do nothing.
class Resolver::State : public std::enable_shared_from_this<State> {
public:
    explicit State(asio::any_io_executor executor)
        : executor_(std::move(executor)), timer_(executor_) {}
    ~State() { shut(); }

    void open(const Config& config);
    void shut();
    std::shared_ptr<Lookup> ask(const std::string& name);
    void cancel();

private:
    struct Watch {
        explicit Watch(asio::posix::stream_descriptor watched) : socket(std::move(watched)) {}
        asio::posix::stream_descriptor socket;
        bool wants_read = false;
        bool wants_write = false;
        bool reading = false;
        bool writing = false;
    };

    static void on_socket(void* self, ares_socket_t socket, int readable, int writable);
    static void on_answer(void* lookup, int status, int timeouts, unsigned char* bytes, int size);
    void watch(ares_socket_t socket, bool readable, bool writable);
    void wait_read(ares_socket_t socket, const std::shared_ptr<Watch>& watch);
    void wait_write(ares_socket_t socket, const std::shared_ptr<Watch>& watch);
    void arm_timer();

    asio::any_io_executor executor_;
    asio::steady_timer timer_;
    ares_channel channel_ = nullptr;
    std::map<ares_socket_t, std::shared_ptr<Watch>> watches_;
};

void Resolver::State::open(const Config& config) {
    static const int library = ares_library_init(ARES_LIB_INIT_ALL);
    BASE_CHECK(library == ARES_SUCCESS);
    ares_options options{};
    options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    options.timeout = static_cast<int>(config.timeout.count());
    options.tries = std::max(config.rounds, 1);
    std::array<char, 2> only_dns = {'b', '\0'};  // never the hosts file
    options.lookups = only_dns.data();
    options.sock_state_cb = on_socket;
    options.sock_state_cb_data = this;
    const int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS |
                     ARES_OPT_SOCK_STATE_CB;
    BASE_CHECK(ares_init_options(&channel_, &options, mask) == ARES_SUCCESS);
    const auto servers = servers_text(config.servers);
    BASE_CHECK(ares_set_servers_ports_csv(channel_, servers.c_str()) == ARES_SUCCESS);
    if (!config.bind) return;
    if (config.bind->family == text::Family::v4)
        ares_set_local_ip4(channel_, config.bind->v4());
    else
        ares_set_local_ip6(channel_, config.bind->bytes.data());
}

void Resolver::State::shut() {
    if (channel_ == nullptr) return;
    // Ends the lookups (their callbacks run) and tells on_socket to let go of each socket.
    ares_destroy(std::exchange(channel_, nullptr));
    timer_.cancel();
}

std::shared_ptr<Lookup> Resolver::State::ask(const std::string& name) {
    auto lookup = std::make_shared<Lookup>(executor_);
    // The callback owns this copy and runs exactly once.
    auto* const owned = new std::shared_ptr<Lookup>(lookup);
    ares_query(channel_, name.c_str(), ns_c_in, ns_t_a, on_answer, owned);
    arm_timer();
    return lookup;
}

void Resolver::State::cancel() {
    if (channel_ != nullptr) ares_cancel(channel_);
}

void Resolver::State::on_answer(
    void* lookup, int status, int /*timeouts*/, unsigned char* bytes, int size
) {
    const std::unique_ptr<std::shared_ptr<Lookup>> owned(
        static_cast<std::shared_ptr<Lookup>*>(lookup)
    );
    auto& to = **owned;
    to.result =
        status == ARES_SUCCESS ? read_answer(bytes, size) : Result<Addresses>(to_error(status));
    to.wake.cancel();
}

void Resolver::State::on_socket(void* self, ares_socket_t socket, int readable, int writable) {
    static_cast<State*>(self)->watch(socket, readable != 0, writable != 0);
}

void Resolver::State::watch(ares_socket_t socket, bool readable, bool writable) {
    const auto known = watches_.find(socket);
    if (!readable && !writable) {
        if (known == watches_.end()) return;
        // c-ares closes the socket itself right after this.
        known->second->socket.release();
        watches_.erase(known);
        return;
    }
    auto& entry = watches_[socket];
    if (!entry) entry = std::make_shared<Watch>(asio::posix::stream_descriptor(executor_, socket));
    entry->wants_read = readable;
    entry->wants_write = writable;
    if (readable && !entry->reading) wait_read(socket, entry);
    if (writable && !entry->writing) wait_write(socket, entry);
}

void Resolver::State::wait_read(ares_socket_t socket, const std::shared_ptr<Watch>& watch) {
    watch->reading = true;
    watch->socket.async_wait(
        asio::posix::stream_descriptor::wait_read,
        [self = shared_from_this(), socket, watch](const Error& failure) {
            watch->reading = false;
            if (failure || self->channel_ == nullptr) return;
            ares_process_fd(self->channel_, socket, ARES_SOCKET_BAD);
            if (watch->socket.is_open() && watch->wants_read && !watch->reading)
                self->wait_read(socket, watch);
            self->arm_timer();
        }
    );
}

void Resolver::State::wait_write(ares_socket_t socket, const std::shared_ptr<Watch>& watch) {
    watch->writing = true;
    watch->socket.async_wait(
        asio::posix::stream_descriptor::wait_write,
        [self = shared_from_this(), socket, watch](const Error& failure) {
            watch->writing = false;
            if (failure || self->channel_ == nullptr) return;
            ares_process_fd(self->channel_, ARES_SOCKET_BAD, socket);
            if (watch->socket.is_open() && watch->wants_write && !watch->writing)
                self->wait_write(socket, watch);
            self->arm_timer();
        }
    );
}

void Resolver::State::arm_timer() {
    timeval left{};
    if (channel_ == nullptr || ares_timeout(channel_, nullptr, &left) == nullptr) {
        timer_.cancel();
        return;
    }
    // One millisecond more: c-ares looks at its own clock and must find the time over.
    timer_.expires_after(
        std::chrono::seconds(left.tv_sec) + std::chrono::microseconds(left.tv_usec + 1000)
    );
    timer_.async_wait([self = shared_from_this()](const Error& failure) {
        if (failure || self->channel_ == nullptr) return;
        ares_process_fd(self->channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
        self->arm_timer();
    });
}

Resolver::Resolver(asio::any_io_executor executor, const Config& config)
    : state_(std::make_shared<State>(std::move(executor))) {
    state_->open(config);
}

Resolver::~Resolver() {
    state_->shut();
}

asio::awaitable<Result<Addresses>> Resolver::find_v4(std::string name) {
    const auto lookup = state_->ask(name);
    if (!lookup->result) {
        const auto [ended] = co_await lookup->wake.async_wait(async::as_result);
        static_cast<void>(ended);  // always "aborted": by the answer, or by whoever cancels us
    }
    if (!lookup->result) co_return Error(asio::error::operation_aborted);
    co_return *lookup->result;
}

void Resolver::cancel() {
    state_->cancel();
}

}  // namespace twinsite::base::net
