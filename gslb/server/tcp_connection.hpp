// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/answer/random.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/server/query_ring.hpp"
#include "gslb/server/rule_book.hpp"
#include "gslb/server/socket.hpp"
#include "gslb/server/transfer_seam.hpp"
#include "gslb/server/udp_worker.hpp"

namespace twinsite::gslb::server {

class TcpConnection;
/// Longest idle first.
using TcpConnections = std::list<TcpConnection>;

/// What the connections of one TCP thread share. Used by that thread only (the counters and the
/// ring may be read by any).
struct TcpShared {
    using Clock = std::chrono::steady_clock;

    /// Queries of one read, with room for the longest message behind a part of another.
    static constexpr std::size_t kInputBytes = 128 * 1024;
    /// Replies gathered before they are written, even if more queries wait: bounds the memory that
    /// a client which never reads can hold.
    static constexpr std::size_t kOutputBytes = 64 * 1024;
    static constexpr std::size_t kLengthBytes = 2;
    static constexpr std::size_t kMessageBytes = 65'535;

    TcpShared(const WorkerSeams& seams, std::uint64_t seed)
        : snapshots(seams.publisher),
          rule_reader(seams.rules),
          random(seed),
          ring(seams.logged_queries),
          tap(seams.dnstap ? Dnstap::make_tap(seams.dnstap) : nullptr) {}

    Publisher::Reader snapshots;
    RuleBook::Reader rule_reader;
    answer::Random random;
    Counters counters;
    QueryRing ring;
    const std::unique_ptr<Dnstap::Tap> tap;
    int poller = -1;  ///< of epoll
    // Of the events in hand.
    const Rules* rules = nullptr;
    Clock::time_point now;
    std::uint32_t now_s = 0;
    TcpConnections connections;
    TcpConnections closed;  ///< kept until no event in hand can name them
    std::unordered_map<std::uint64_t, std::uint32_t> per_address;  ///< by address_key()
    std::vector<std::uint8_t> input = std::vector<std::uint8_t>(kInputBytes);
    std::vector<std::uint8_t> output =
        std::vector<std::uint8_t>(kOutputBytes + kLengthBytes + kMessageBytes);
};

/// One client: reads, answers all whole queries of the read, writes the replies in one go. Has no
/// buffer of its own but for what is left over: most of the time nothing.
class TcpConnection {
public:
    /// `shared` outlives this.
    TcpConnection(Socket socket, const base::net::Endpoint& peer, TcpShared& shared);
    TcpConnection(const TcpConnection&) = delete;
    TcpConnection& operator=(const TcpConnection&) = delete;

    /// `place` is where the list of `shared` holds this. Reads at once: a client that connects has
    /// a query at hand.
    void start(TcpConnections::iterator place);
    void on_event();
    /// The last time something was achieved: accepted, or whole queries answered. Bytes of an
    /// unfinished query do not count, so a drip does not hold a connection.
    TcpShared::Clock::time_point last_progress() const { return last_progress_; }
    /// What counts as one address: of IPv6 the first 64 bits.
    static std::uint64_t address_key(const base::text::IpAddress& address);
    /// Answers what has arrived already, then closes. Idempotent.
    void finish();
    /// Idempotent. Moves this to TcpShared::closed.
    void close();

private:
    /// Puts what is left over in front of what the kernel has. Gives the bytes in the shared input.
    std::size_t gather();
    /// Answers and writes until the input is used up, the client does not take more, or it is
    /// closed. False: nothing more to be done now.
    bool serve(std::span<const std::uint8_t> input);
    /// Answers whole queries into the shared output until it is full. Returns the bytes used up.
    std::size_t answer_queries(std::span<const std::uint8_t> input);
    /// Appends one reply to the shared output.
    void answer_one(std::span<const std::uint8_t> query);
    /// The first look has found something unusual. False: the replies are in the output already;
    /// else `size` bytes of `space` are the reply.
    bool answer_transfer(
        std::span<const std::uint8_t> query,
        std::span<std::uint8_t> space,
        answer::Context& context,
        std::size_t& size
    );
    void log(std::span<const std::uint8_t> query, const answer::Outcome& outcome, std::size_t size);
    /// The next messages of a long reply.
    void continue_stream();
    /// Writes the shared output; keeps what the client does not take. False: it does not take all,
    /// or is gone.
    bool flush();
    /// Writes what was kept.
    bool flush_kept();
    void wait_for(std::uint32_t events);
    void progress();

    // fixed after construction
    TcpShared& shared_;
    const base::net::Endpoint peer_;
    // owned by the TCP thread
    Socket socket_;
    base::net::Endpoint local_;  ///< known only for dnstap
    TcpConnections::iterator place_;
    TcpShared::Clock::time_point last_progress_;
    std::vector<std::uint8_t> rest_;   ///< read, not answered
    std::vector<std::uint8_t> reply_;  ///< answered, not written
    std::size_t written_ = 0;          ///< of reply_
    std::unique_ptr<TransferSeam::Reply> stream_;
    std::size_t output_ = 0;  ///< bytes in the shared output, during one call
    std::uint32_t waits_for_ = 0;
    bool open_ = true;
    bool broken_ = false;  ///< what came is no DNS
    bool finishing_ = false;
};

}  // namespace twinsite::gslb::server
