// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace twinsite::base::async {

/// Completion token: the awaited operation gives its error code as a value instead of throwing.
/// `const auto [failure, size] = co_await socket.async_read_some(buffer, as_result);`
inline constexpr auto as_result = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace twinsite::base::async
