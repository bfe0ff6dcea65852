// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "probe/place.hpp"

namespace twinsite::probe {

/// Sends `request` over UDP from a port of its own and gives every datagram of the target to
/// `take`, until that says it was the reply. A port that nobody listens on: connection_refused.
/// Has no end of its own: to be run with a deadline.
boost::asio::awaitable<base::Result<void>> exchange_datagrams(
    Place place,
    std::vector<std::uint8_t> request,
    std::function<bool(std::span<const std::uint8_t>)> take
);

}  // namespace twinsite::probe
