// SPDX-License-Identifier: Apache-2.0
#include "base/http/tls.hpp"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/async/token.hpp"
#include "base/http/error.hpp"
#include "base/text/ip.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using async::as_result;

struct TlsContext::Native {
    ssl::context context;
};

namespace {

/// Common name of the certificate's subject; "" when there is none, or when it hides a NUL.
std::string common_name(const X509& certificate) {
    const X509_NAME* subject = X509_get_subject_name(&certificate);
    const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (index < 0) return {};
    const auto* entry = X509_NAME_get_entry(subject, index);
    unsigned char* bytes = nullptr;
    const int size = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(entry));
    if (size < 0) return {};
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    return out.find('\0') == std::string::npos ? out : std::string();
}

class TlsStream final : public Stream {
public:
    TlsStream(
        asio::ip::tcp::socket socket,
        std::shared_ptr<const TlsContext> context,
        ssl::stream_base::handshake_type role
    )
        : context_(std::move(context)),
          stream_(std::move(socket), context_->native().context),
          role_(role) {}

    /// False when OpenSSL has no memory for it.
    bool expect_server(const std::string& name) {
        Error failure;
        stream_.set_verify_callback(ssl::host_name_verification(name), failure);
        if (failure) return false;
        if (text::parse_ip(name)) return true;  // RFC 6066 section 3: no addresses in SNI
        // The macro SSL_set_tlsext_host_name casts in the old style.
        std::string sni = name;
        return SSL_ctrl(
                   stream_.native_handle(),
                   SSL_CTRL_SET_TLSEXT_HOSTNAME,
                   TLSEXT_NAMETYPE_host_name,
                   sni.data()
               ) == 1;
    }

    asio::awaitable<Result<void>> handshake() override {
        const auto [failure] = co_await stream_.async_handshake(role_, as_result);
        if (failure) co_return failure;
        co_return Result<void>();
    }

    asio::awaitable<Result<std::size_t>> read_some(std::span<char> into) override {
        const auto buffer = asio::buffer(into.data(), into.size());
        const auto [failure, size] = co_await stream_.async_read_some(buffer, as_result);
        if (failure) co_return failure;
        co_return size;
    }

    asio::awaitable<Result<std::size_t>> write_all(std::string_view bytes) override {
        const auto buffer = asio::buffer(bytes.data(), bytes.size());
        const auto [failure, size] = co_await asio::async_write(stream_, buffer, as_result);
        if (failure) co_return failure;
        co_return size;
    }

    asio::awaitable<Result<void>> shut_down() override {
        const auto [failure] = co_await stream_.async_shutdown(as_result);
        if (failure) co_return failure;
        co_return Result<void>();
    }

    void close() noexcept override {
        Error ignored;
        stream_.lowest_layer().close(ignored);
    }

    std::string peer_identity() const override {
        // Asio's native_handle is not const, though reading the certificate changes nothing.
        SSL* handle = const_cast<TlsStream*>(this)->stream_.native_handle();
        X509* certificate = SSL_get1_peer_certificate(handle);
        if (!certificate) return {};
        auto name = common_name(*certificate);
        X509_free(certificate);
        return name;
    }

private:
    const std::shared_ptr<const TlsContext> context_;
    ssl::stream<asio::ip::tcp::socket> stream_;
    const ssl::stream_base::handshake_type role_;
};

Result<std::unique_ptr<TlsContext::Native>> make_native(ssl::context::method method) {
    // Asio's context throws when OpenSSL has no memory for it.
    auto native = std::make_unique<TlsContext::Native>(TlsContext::Native{ssl::context(method)});
    SSL_CTX* handle = native->context.native_handle();
    SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr) != 1)
        return Errc::bad_tls_file;
    return native;
}

/// A certificate chain and its key.
Result<void> use_identity(
    ssl::context& context, const std::string& certificate, const std::string& key
) {
    Error failure;
    context.use_certificate_chain_file(certificate, failure);
    if (!failure) context.use_private_key_file(key, ssl::context::pem, failure);
    if (failure || SSL_CTX_check_private_key(context.native_handle()) != 1) {
        ERR_clear_error();
        return Errc::bad_tls_file;
    }
    return {};
}

Result<void> trust(ssl::context& context, const std::string& ca) {
    Error failure;
    if (ca.empty())
        context.set_default_verify_paths(failure);
    else
        context.load_verify_file(ca, failure);
    if (!failure) return {};
    ERR_clear_error();
    return Errc::bad_tls_file;
}

}  // namespace

TlsContext::TlsContext(std::unique_ptr<Native> native) : native_(std::move(native)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const TlsServer& settings) {
    auto native = make_native(ssl::context::tls_server);
    if (!native) return native.error();
    auto& context = (*native)->context;
    if (auto used = use_identity(context, settings.certificate, settings.key); !used)
        return used.error();
    // Without it a resumed session of a client with a certificate is refused by OpenSSL.
    static constexpr unsigned char kSessionContext[] = "twinsite";
    SSL_CTX_set_session_id_context(
        context.native_handle(), kSessionContext, sizeof kSessionContext - 1
    );
    if (!settings.client_ca.empty()) {
        if (auto trusted = trust(context, settings.client_ca); !trusted) return trusted.error();
        context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    }
    return std::make_shared<const TlsContext>(std::move(*native));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_client(const TlsClient& settings) {
    auto native = make_native(ssl::context::tls_client);
    if (!native) return native.error();
    auto& context = (*native)->context;
    if (auto trusted = trust(context, settings.ca); !trusted) return trusted.error();
    context.set_verify_mode(ssl::verify_peer);
    if (!settings.certificate.empty()) {
        auto used = use_identity(context, settings.certificate, settings.key);
        if (!used) return used.error();
    }
    return std::make_shared<const TlsContext>(std::move(*native));
}

std::unique_ptr<Stream> make_tls_server_stream(
    asio::ip::tcp::socket socket, std::shared_ptr<const TlsContext> context
) {
    return std::make_unique<TlsStream>(
        std::move(socket), std::move(context), ssl::stream_base::server
    );
}

std::unique_ptr<Stream> make_tls_client_stream(
    asio::ip::tcp::socket socket,
    std::shared_ptr<const TlsContext> context,
    const std::string& server_name
) {
    auto stream = std::make_unique<TlsStream>(
        std::move(socket), std::move(context), ssl::stream_base::client
    );
    if (!stream->expect_server(server_name)) return nullptr;
    return stream;
}

}  // namespace twinsite::base::http
