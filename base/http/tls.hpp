// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "base/http/client.hpp"
#include "base/http/server.hpp"
#include "base/http/stream.hpp"

namespace twinsite::base::http {

/// Certificates and rules of one listener or client: TLS 1.2 and 1.3 only, no renegotiation.
/// tls.cpp is the only file of the suite that includes Asio's TLS streams.
class TlsContext {
public:
    /// bad_tls_file when a file is missing, or the key is not the certificate's.
    static Result<std::shared_ptr<const TlsContext>> for_server(const TlsServer& settings);
    static Result<std::shared_ptr<const TlsContext>> for_client(const TlsClient& settings);
    ~TlsContext();

    struct Native;
    explicit TlsContext(std::unique_ptr<Native> native);
    Native& native() const { return *native_; }

private:
    std::unique_ptr<Native> native_;
};

std::unique_ptr<Stream> make_tls_server_stream(
    boost::asio::ip::tcp::socket socket, std::shared_ptr<const TlsContext> context
);
/// The handshake fails unless the certificate is issued by a trusted CA for `server_name`, which
/// may be an address. nullptr when OpenSSL has no memory.
std::unique_ptr<Stream> make_tls_client_stream(
    boost::asio::ip::tcp::socket socket,
    std::shared_ptr<const TlsContext> context,
    const std::string& server_name
);

}  // namespace twinsite::base::http
