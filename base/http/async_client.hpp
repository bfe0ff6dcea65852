// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "base/http/client.hpp"

namespace twinsite::base::http {

class TlsContext;

/// `request` for coroutines, same rules. Can be cancelled (operation_aborted).
/// `answer_bytes` bounds the body kept: beyond it the answer is an error.
boost::asio::awaitable<Result<Response>> async_request(
    Target target,
    Request request,
    std::chrono::milliseconds limit,
    std::uint64_t answer_bytes = 64 * 1024 * 1024
);
/// Keeps only the first `body_bytes` of the body and reads no further. `context`: made from
/// `target.tls` beforehand, for those who ask often; nullptr: made here.
boost::asio::awaitable<Result<Response>> async_request_beginning(
    Target target,
    Request request,
    std::chrono::milliseconds limit,
    std::uint64_t body_bytes,
    std::shared_ptr<const TlsContext> context = nullptr
);

}  // namespace twinsite::base::http
