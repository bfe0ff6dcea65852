// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "switchover/execute/seams.hpp"

namespace twinsite::switchover::execute {

/// Files of our side of mutual TLS.
struct TlsFiles {
    std::string certificate;
    std::string key;
    std::string ca;
    std::string crl;  ///< May be empty.
};

/// Calls members over mutual TLS, on connections that are kept. A member must show the certificate
/// twinsite://SITE/gslb|slb/NAME of its own site, kind and name. On one thread.
class TlsCaller final : public Caller {
public:
    TlsCaller(boost::asio::any_io_executor thread, TlsFiles files);
    ~TlsCaller() override;
    boost::asio::awaitable<base::Result<base::http::Response>> call(
        const Member& member, base::http::Request request, std::chrono::milliseconds limit
    ) override;

private:
    struct Idle;
    const boost::asio::any_io_executor thread_;
    const TlsFiles files_;
    const std::shared_ptr<Idle> idle_;
};

}  // namespace twinsite::switchover::execute
