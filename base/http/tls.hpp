// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/certificate.hpp"
#include "base/error/result.hpp"
#include "base/http/client.hpp"
#include "base/http/server.hpp"
#include "base/http/stream.hpp"

namespace twinsite::base::http {

/// Certificates and rules of one listener or client: TLS 1.2 and 1.3 only (1.3 alone where a client
/// shows a certificate), no renegotiation.
/// tls.cpp is the only file of the suite that includes Asio's TLS streams.
class TlsContext {
public:
    /// bad_tls_file when a file is missing, the key is not the certificate's, or the revocation
    /// list is not the authority's.
    static Result<std::shared_ptr<const TlsContext>> for_server(const TlsServer& settings);
    static Result<std::shared_ptr<const TlsContext>> for_client(const TlsClient& settings);
    ~TlsContext();

    struct Native;
    explicit TlsContext(std::unique_ptr<Native> native);
    Native& native() const { return *native_; }
    /// Our own certificate, if we show one.
    const std::optional<crypto::Certificate>& own_certificate() const { return own_; }

private:
    std::unique_ptr<Native> native_;
    std::optional<crypto::Certificate> own_;
};

/// The handshake failed for what the other side showed or said, not for the network.
bool is_tls_refusal(const Error& failure);

std::unique_ptr<Stream> make_tls_server_stream(
    boost::asio::ip::tcp::socket socket, std::shared_ptr<const TlsContext> context
);
/// The handshake fails unless the certificate is issued by a trusted CA for `server_name`, which
/// may be an address, and its URI SAN pleases `accept_identity` (empty: any). nullptr when OpenSSL
/// has no memory.
std::unique_ptr<Stream> make_tls_client_stream(
    boost::asio::ip::tcp::socket socket,
    std::shared_ptr<const TlsContext> context,
    const std::string& server_name,
    std::function<bool(std::string_view uri)> accept_identity = {}
);

}  // namespace twinsite::base::http
