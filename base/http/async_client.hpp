// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/http/client.hpp"

namespace twinsite::base::http {

/// `request` for coroutines, same rules. Can be cancelled (operation_aborted).
/// `answer_bytes` bounds the body kept: beyond it the answer is an error.
boost::asio::awaitable<Result<Response>> async_request(
    Target target,
    Request request,
    std::chrono::milliseconds limit,
    std::uint64_t answer_bytes = 64 * 1024 * 1024
);
/// Keeps only the first `body_bytes` of the body and reads no further.
boost::asio::awaitable<Result<Response>> async_request_beginning(
    Target target, Request request, std::chrono::milliseconds limit, std::uint64_t body_bytes
);

}  // namespace twinsite::base::http
