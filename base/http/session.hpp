// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "base/async/task_group.hpp"
#include "base/http/event_stream.hpp"
#include "base/http/message.hpp"
#include "base/http/parser.hpp"
#include "base/http/pending_answer.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls_files.hpp"

/// One connection of a server. Inside the room only.
namespace twinsite::base::http {

struct Session {
    static constexpr std::size_t kReadBytes = 8192;

    std::unique_ptr<Stream> stream;
    async::TaskGroup::Id task = 0;
    std::shared_ptr<TlsFiles> tls;           ///< Of its listener; nullptr without TLS.
    bool answering = false;                  ///< From handler to last byte: `stop` waits for it.
    std::shared_ptr<PendingAnswer> pending;  ///< Its client waits for a later answer.
    std::shared_ptr<EventStream> events;     ///< It carries events.
    std::optional<std::chrono::steady_clock::time_point> idle_since;
    std::array<char, kReadBytes> buffer;
};

boost::asio::awaitable<Result<void>> read_more(Session& session, RequestReader& reader);
/// Until a whole request is here.
boost::asio::awaitable<Result<void>> read_rest(Session& session, RequestReader& reader);
/// Tells the client that nothing more comes, then drops what it still sends until it closes.
boost::asio::awaitable<Result<void>> say_goodbye(Session& session);

/// The answer; a 503 after `limit`; nullopt when the client is gone. Meanwhile takes the client's
/// next request, should it send one early.
boost::asio::awaitable<std::optional<Response>> await_answer(
    Session& session,
    RequestReader& reader,
    std::shared_ptr<PendingAnswer> pending,
    std::chrono::milliseconds limit
);

/// Until either side ends the stream. `limit`: for one write. `cut` must end the session's task.
boost::asio::awaitable<void> carry_events(
    Session& session,
    std::shared_ptr<EventStream> events,
    std::chrono::milliseconds limit,
    std::function<void()> cut
);

/// In the place of an answer that does not come.
Response given_up(std::string_view why);

}  // namespace twinsite::base::http
