// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/awaitable.hpp>

#include "base/http/event_stream.hpp"
#include "base/http/stream.hpp"

namespace twinsite::base::http {

/// The connection's side of an EventStream: the header, then what is sent to it, in order.
class EventWriter {
public:
    /// `stream` outlives the writer. `limit`: for one write.
    EventWriter(
        Stream& stream, std::shared_ptr<EventStream> events, std::chrono::milliseconds limit
    )
        : stream_(stream), events_(std::move(events)), limit_(limit) {}
    ~EventWriter();
    EventWriter(const EventWriter&) = delete;
    EventWriter& operator=(const EventWriter&) = delete;

    /// Until the stream is closed and all is out, or the client does not take it.
    boost::asio::awaitable<Result<void>> run();

    /// `events` is over. `tell`: who sends to it hears of it.
    static void end(EventStream& events, bool tell) { events.end(tell); }

private:
    boost::asio::awaitable<Result<void>> wait();
    boost::asio::awaitable<Result<void>> write();

    Stream& stream_;
    const std::shared_ptr<EventStream> events_;
    const std::chrono::milliseconds limit_;
};

}  // namespace twinsite::base::http
