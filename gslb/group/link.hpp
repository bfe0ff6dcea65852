// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/error/result.hpp"
#include "base/http/stream.hpp"
#include "wire/group/frame.hpp"

namespace twinsite::gslb::group {

/// One connection to another gslb, after the TLS handshake: frames in both directions. On the
/// thread of its executor.
class Link {
public:
    /// What is waiting to be sent takes at most this much; beyond it the oldest gossip goes.
    static constexpr std::size_t kMostQueued_bytes = std::size_t{8} * 1024 * 1024;

    Link(
        const boost::asio::any_io_executor& executor,
        std::unique_ptr<base::http::Stream> stream,
        bool dialed
    );

    /// Queues a frame. Heartbeats, digests, observations, loads and decisions are gossip: there
    /// will be newer ones. Of the others none is dropped; when they alone are too many the link
    /// ends.
    void send(wire::group::Kind kind, std::string payload);
    /// Reads and writes until one of both fails, `on_frame` says no, or `close` is called.
    boost::asio::awaitable<base::Result<void>> run(
        std::function<bool(const wire::group::Frame&)> on_frame
    );
    /// The first frame, which must be there before `limit`.
    boost::asio::awaitable<base::Result<wire::group::Frame>> first_frame(
        std::chrono::milliseconds limit
    );
    /// Sends what was queued before anybody reads.
    boost::asio::awaitable<base::Result<void>> flush(std::chrono::milliseconds limit);
    void close();

    bool dialed() const { return dialed_; }
    const base::http::Stream& stream() const { return *stream_; }
    std::uint8_t version() const { return version_; }
    void speak(std::uint8_t version) { version_ = version; }
    std::uint64_t dropped() const { return dropped_; }
    std::size_t queued_bytes() const { return queued_bytes_; }

private:
    struct Item {
        wire::group::Kind kind;
        std::string bytes;
    };
    boost::asio::awaitable<base::Result<void>> read(
        std::function<bool(const wire::group::Frame&)> on_frame
    );
    boost::asio::awaitable<base::Result<void>> write();
    boost::asio::awaitable<base::Result<void>> write_queued();
    boost::asio::awaitable<base::Result<wire::group::Frame>> next_frame();
    bool make_room();

    std::unique_ptr<base::http::Stream> stream_;
    const bool dialed_;
    std::uint8_t version_ = wire::group::kLastVersion;
    bool closed_ = false;
    wire::group::FrameReader reader_;
    std::deque<Item> queue_;
    std::size_t queued_bytes_ = 0;
    std::uint64_t dropped_ = 0;
    boost::asio::steady_timer wake_;  ///< cancelled when there is something to write
};

}  // namespace twinsite::gslb::group
