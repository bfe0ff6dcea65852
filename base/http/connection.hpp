// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/http/client.hpp"

namespace twinsite::base::http {

/// A connection to one server, kept for many requests, one at a time. All of it on the thread of
/// `executor`. Changed certificate files are taken: the connection is then opened anew.
class Connection {
public:
    /// `executor`: of the coroutines that use it.
    Connection(boost::asio::any_io_executor executor, Target target);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Opens when needed; over before `limit` (timed_out). When a connection that had been idle is
    /// found closed before a byte of the answer, the request is sent once more on a new one: the
    /// server may see it twice. in_progress while another one runs. Can be cancelled; the
    /// Connection may be destroyed meanwhile (operation_aborted). Other rules as of `request`.
    boost::asio::awaitable<Result<Response>> send(
        Request request,
        std::chrono::milliseconds limit,
        std::uint64_t answer_bytes = 64 * 1024 * 1024
    );
    /// Closes it; the next `send` opens it again. A running one fails.
    void close();
    bool open() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace twinsite::base::http
