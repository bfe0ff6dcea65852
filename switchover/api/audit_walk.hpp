// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "base/http/reply.hpp"
#include "switchover/api/backend.hpp"

namespace twinsite::switchover::api {

/// Goes through the whole audit and answers whether its lines fit together. A slice at a time: the
/// audit of years takes long, and everything else of the server must go on meanwhile.
class AuditWalk : public std::enable_shared_from_this<AuditWalk> {
public:
    static constexpr std::size_t kSlice = 200;  ///< Lines; a millisecond or two.

    /// All on the thread of `io`. `backend` lives as long as work of `io` runs.
    AuditWalk(boost::asio::io_context& io, Backend& backend, base::http::Reply reply);
    void go_on();

private:
    boost::asio::io_context& io_;
    Backend& backend_;
    base::http::Reply reply_;
    store::AuditChain chain_;
};

}  // namespace twinsite::switchover::api
