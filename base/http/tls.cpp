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
#include "base/crypto/openssl.hpp"
#include "base/crypto/trust.hpp"
#include "base/file/state_file.hpp"
#include "base/http/error.hpp"
#include "base/net/asio.hpp"
#include "base/text/ip.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using async::as_result;

struct TlsContext::Native {
    ssl::context context;
};

namespace {

/// In the place of OpenSSL's own, which would ask for a pass phrase on the terminal.
int no_pass_phrase(char*, int, int, void*) {
    return -1;
}

/// Whether a server with the rules of `store` would let in the client with `certificate` now.
bool trusts(X509_STORE& store, X509& certificate, STACK_OF(X509) * chain) {
    const crypto::Owned<X509_STORE_CTX> context(X509_STORE_CTX_new());
    const bool good = context &&
                      X509_STORE_CTX_init(context.get(), &store, &certificate, chain) == 1 &&
                      X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT) == 1 &&
                      X509_verify_cert(context.get()) == 1;
    ERR_clear_error();
    return good;
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

    void expect_identity(std::function<bool(std::string_view)> accept) {
        accept_identity_ = std::move(accept);
    }

    asio::awaitable<Result<void>> handshake() override {
        const auto [failure] = co_await stream_.async_handshake(role_, as_result);
        if (failure) co_return failure;
        if (const auto peer = peer_certificate()) {
            const auto read = crypto::describe(*peer);
            if (read) identity_ = read->uri;
        }
        if (accept_identity_ && !accept_identity_(identity_)) co_return Error(Errc::wrong_identity);
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

    std::string peer_identity() const override { return identity_; }

    std::string peer_address() const override {
        Error failure;
        const auto peer = stream_.lowest_layer().remote_endpoint(failure);
        return failure ? std::string() : text::to_string(net::from_asio(peer.address()));
    }

    bool trusted_by(const TlsContext& context) const override {
        if (&context == context_.get()) return true;
        const auto peer = peer_certificate();
        if (!peer) return true;
        auto* store = SSL_CTX_get_cert_store(context.native().context.native_handle());
        return store && trusts(*store, *peer, SSL_get_peer_cert_chain(handle()));
    }

    std::string distrust() const override {
        const long verdict = SSL_get_verify_result(handle());
        return verdict == X509_V_OK ? std::string() : X509_verify_cert_error_string(verdict);
    }

private:
    /// Asio's native_handle is not const, though reading the certificate changes nothing.
    SSL* handle() const { return const_cast<TlsStream*>(this)->stream_.native_handle(); }
    crypto::Owned<X509> peer_certificate() const {
        return crypto::Owned<X509>(SSL_get1_peer_certificate(handle()));
    }

    const std::shared_ptr<const TlsContext> context_;
    ssl::stream<asio::ip::tcp::socket> stream_;
    const ssl::stream_base::handshake_type role_;
    std::function<bool(std::string_view)> accept_identity_;
    std::string identity_;
};

bool limit_to(SSL_CTX* context, long version) {
    return SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, version, nullptr) == 1;
}

Result<std::unique_ptr<TlsContext::Native>> make_native(ssl::context::method method) {
    // Asio's context throws when OpenSSL has no memory for it.
    auto native = std::make_unique<TlsContext::Native>(TlsContext::Native{ssl::context(method)});
    SSL_CTX* handle = native->context.native_handle();
    SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_default_passwd_cb(handle, no_pass_phrase);
    if (!limit_to(handle, TLS1_2_VERSION)) return Errc::bad_tls_file;
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

/// The text of a file; bad_tls_file when it is not there.
Result<std::string> text_at(const std::string& path) {
    auto text = file::read_state_file(path);
    if (!text || !*text) return Errc::bad_tls_file;
    return std::move(**text);
}

/// From here on who is in the list is not let in. The list must be the authority's own: a foreign
/// one would revoke nobody.
Result<void> revoke(ssl::context& context, const std::string& ca, const std::string& crl) {
    const auto authorities = text_at(ca);
    if (!authorities) return authorities.error();
    const auto list = text_at(crl);
    if (!list) return list.error();
    if (list->empty() || !crypto::Trust::from_pem(*authorities, *list)) return Errc::bad_tls_file;
    auto* store = SSL_CTX_get_cert_store(context.native_handle());
    for (const auto& one : crypto::read_revocation_lists(*list))
        if (X509_STORE_add_crl(store, one.get()) != 1) return Errc::bad_tls_file;
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
    return {};
}

/// Clients must show a certificate. Without sessions to resume, each connection is checked anew:
/// a ticket would outlive a revocation.
Result<void> demand_certificates(ssl::context& context, const TlsServer& settings) {
    auto* handle = context.native_handle();
    if (auto trusted = trust(context, settings.client_ca); !trusted) return trusted;
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    SSL_CTX_set_options(handle, SSL_OP_NO_TICKET);
    SSL_CTX_ctrl(handle, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, nullptr);
    if (!limit_to(handle, TLS1_3_VERSION) || SSL_CTX_set_num_tickets(handle, 0) != 1)
        return Errc::bad_tls_file;
    return settings.crl.empty() ? Result<void>()
                                : revoke(context, settings.client_ca, settings.crl);
}

Result<crypto::Certificate> certificate_at(const std::string& path) {
    const auto text = text_at(path);
    if (!text) return text.error();
    auto certificate = crypto::parse_certificate(*text);
    if (!certificate) return Errc::bad_tls_file;
    return certificate;
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
    if (!settings.client_ca.empty()) {
        if (auto demanded = demand_certificates(context, settings); !demanded)
            return demanded.error();
    }
    auto own = certificate_at(settings.certificate);
    if (!own) return own.error();
    auto out = std::make_shared<TlsContext>(std::move(*native));
    out->own_ = std::move(*own);
    return std::shared_ptr<const TlsContext>(std::move(out));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_client(const TlsClient& settings) {
    auto native = make_native(ssl::context::tls_client);
    if (!native) return native.error();
    auto& context = (*native)->context;  // stays where it is when its owner changes
    if (auto trusted = trust(context, settings.ca); !trusted) return trusted.error();
    context.set_verify_mode(ssl::verify_peer);
    if (!settings.crl.empty()) {
        if (auto revoked = revoke(context, settings.ca, settings.crl); !revoked)
            return revoked.error();
    }
    auto out = std::make_shared<TlsContext>(std::move(*native));
    if (settings.certificate.empty()) return std::shared_ptr<const TlsContext>(std::move(out));
    if (auto used = use_identity(context, settings.certificate, settings.key); !used)
        return used.error();
    auto own = certificate_at(settings.certificate);
    if (!own) return own.error();
    if (!limit_to(context.native_handle(), TLS1_3_VERSION)) return Errc::bad_tls_file;
    out->own_ = std::move(*own);
    return std::shared_ptr<const TlsContext>(std::move(out));
}

bool is_tls_refusal(const Error& failure) {
    return failure.category() == asio::error::get_ssl_category();
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
    const std::string& server_name,
    std::function<bool(std::string_view uri)> accept_identity
) {
    auto stream = std::make_unique<TlsStream>(
        std::move(socket), std::move(context), ssl::stream_base::client
    );
    if (!stream->expect_server(server_name)) return nullptr;
    stream->expect_identity(std::move(accept_identity));
    return stream;
}

}  // namespace twinsite::base::http
