// SPDX-License-Identifier: Apache-2.0
#include "probe/measure.hpp"

#include <boost/asio/error.hpp>

namespace twinsite::probe {

std::string words_for(const base::Error& failure) {
    namespace error = boost::asio::error;
    if (failure == error::timed_out) return "timed out";
    if (failure == error::connection_refused) return "connection refused";
    if (failure == error::operation_aborted) return "cancelled";
    return failure.message();
}

}  // namespace twinsite::probe
