// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"

namespace twinsite::base::async {

struct Raced {
    Result<void> first;
    Result<void> second;
};

/// Runs both until one has ended; the other is then cancelled and waited for, so nothing that they
/// refer to is in use afterwards. Who was cancelled has operation_aborted, unless it had ended
/// meanwhile. Cancelled from outside: both are. An exception of either comes out here.
boost::asio::awaitable<Raced> race(
    boost::asio::awaitable<Result<void>> first, boost::asio::awaitable<Result<void>> second
);

}  // namespace twinsite::base::async
