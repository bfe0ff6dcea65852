// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/text/ip.hpp"
#include "gslb/answer/random.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/server/tcp_server.hpp"

namespace twinsite::gslb::server {

class TcpConnection;
/// Longest idle first.
using TcpConnections = std::list<std::shared_ptr<TcpConnection>>;

/// What the connections of one TCP thread share. Used by that thread only (the counters may be read
/// by any).
struct TcpShared {
    TcpShared(Publisher& publisher, const TcpLimits& first_limits, std::uint64_t seed)
        : limits(first_limits), reader(publisher), random(seed) {}

    TcpLimits limits;
    Publisher::Reader reader;
    answer::Random random;
    Counters counters;
    TcpConnections connections;
    std::vector<std::uint8_t> reply = std::vector<std::uint8_t>(65'535);
};

/// One client: reads, answers all whole queries of the read, writes the replies, reads again.
class TcpConnection : public std::enable_shared_from_this<TcpConnection> {
public:
    using Clock = std::chrono::steady_clock;

    /// `shared` outlives this.
    TcpConnection(boost::asio::ip::tcp::socket socket, TcpShared& shared);

    /// `place` is where the list of `shared` holds this.
    void start(TcpConnections::iterator place);
    /// The last time something was achieved: accepted, or whole queries answered. Bytes of an
    /// unfinished query do not count, so a drip does not hold a connection.
    Clock::time_point last_progress() const { return last_progress_; }
    /// Answers what has arrived already, then closes. Idempotent.
    void finish();
    void close();

private:
    void read();
    void on_read(const boost::system::error_code& error, std::size_t size);
    /// Answers whole queries from the input until it or the space for replies is used up. False
    /// when the client is to be dropped.
    bool answer_queries();
    void make_room();
    /// While finishing: what the kernel still holds. False when there is nothing.
    bool read_rest();
    bool answer_one(std::span<const std::uint8_t> query);
    void write();
    void on_written(const boost::system::error_code& error);
    /// After a write or without one: on to the next queries.
    void go_on();
    void progress();

    // fixed after construction
    TcpShared& shared_;
    base::text::IpAddress peer_;
    // owned by the TCP thread
    boost::asio::ip::tcp::socket socket_;
    TcpConnections::iterator place_;
    Clock::time_point last_progress_;
    std::vector<std::uint8_t> input_;  // unread bytes are [begin_, end_)
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::vector<std::uint8_t> output_;
    bool listed_ = false;
    bool writing_ = false;
    bool finishing_ = false;
};

}  // namespace twinsite::gslb::server
