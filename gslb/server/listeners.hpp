// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/query_ring.hpp"
#include "gslb/server/rule_book.hpp"
#include "gslb/server/socket.hpp"

namespace twinsite::gslb::server {

class Publisher;

/// What to listen on, and how to speak there.
struct ListenSettings {
    std::vector<base::net::Endpoint> addresses;  ///< UDP and TCP on each
    unsigned workers = 1;                        ///< UDP threads per address, 1..64
    /// Of each thread, for last_queries(); taken when a thread starts. 0: none.
    std::size_t logged_queries = 1024;
    std::string dnstap_socket;  ///< where a dnstap reader listens; taken as above. Empty: none
    std::string node;           ///< names this server in dnstap
    std::string version;        ///< of the program, likewise
    answer::Conduct conduct;    ///< its cookie secrets and keepalive do not count, see below
    RateLimit rate_limit;
    TcpLimits tcp;
};

/// All DNS sockets of the process and the threads that serve them. The thread that owns it calls
/// everything but totals(), which any thread may call.
class Listeners {
public:
    /// `publisher` outlives this.
    explicit Listeners(Publisher& publisher);
    ~Listeners();  ///< stop()
    Listeners(const Listeners&) = delete;
    Listeners& operator=(const Listeners&) = delete;

    /// Makes the sockets as `settings` say: opens what is new, keeps untouched what is there
    /// already (no query is lost on it), then closes what is gone after it has answered what it
    /// received. On failure returns what is wrong ("cannot listen on 192.0.2.1:53/udp: ...") and
    /// everything stays as it was. From one address to the wildcard of the same port, or back, it
    /// cannot go in one step: the kernel holds them for the same.
    [[nodiscard]] std::optional<std::string> apply(const ListenSettings& settings);

    /// The addresses served, in the order of the settings; with the real port where 0 was asked.
    std::vector<base::net::Endpoint> addresses() const;

    /// Sums over all threads since start; those of closed sockets included.
    Totals totals() const;

    /// The secrets of cookies from now on. Random ones at first.
    void set_cookie_secrets(const wire::dns::CookieSecrets& secrets);
    const wire::dns::CookieSecrets& cookie_secrets() const;
    /// Who answers transfers, NOTIFY and signed queries from now on; null: nobody.
    void set_transfers(std::shared_ptr<TransferSeam> transfers);

    /// The last queries over all threads, at most `count`, the latest first.
    std::vector<QueryRecord> last_queries(std::size_t count) const;

    /// Sockets of another process for apply(), which takes them where it would open its own.
    /// Before the first apply().
    void inherit(std::vector<Socket> sockets);
    /// Adds what another process has counted.
    void add_totals(const std::vector<std::pair<std::string, std::uint64_t>>& totals);
    /// The numbers of all sockets, to be handed to another process. They stay ours too.
    std::vector<int> socket_numbers() const;
    /// Another process serves on all sockets now: ends the threads of UDP when they have answered
    /// what they took, and accepts no connection any more. TCP connections go on until stop().
    void let_go();

    /// Closes the sockets after the queries already received are answered.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::server
