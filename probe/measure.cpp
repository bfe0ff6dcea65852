// SPDX-License-Identifier: Apache-2.0
#include "probe/measure.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

namespace twinsite::probe {

Outcome Stopwatch::failed(const base::Error& failure) const {
    return {false, words_for(failure), elapsed(), is_local_fault(failure)};
}

bool is_local_fault(const base::Error& failure) {
    namespace errc = boost::system::errc;
    return failure == errc::too_many_files_open || failure == errc::too_many_files_open_in_system ||
           failure == errc::not_enough_memory || failure == errc::no_buffer_space;
}

std::string words_for(const base::Error& failure) {
    namespace error = boost::asio::error;
    if (failure == error::timed_out) return "timed out";
    if (failure == error::connection_refused) return "connection refused";
    if (failure == error::operation_aborted) return "cancelled";
    return failure.message();
}

}  // namespace twinsite::probe
