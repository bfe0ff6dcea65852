// SPDX-License-Identifier: Apache-2.0
#include "probe/radius.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <boost/asio/error.hpp>

#include "base/async/deadline.hpp"
#include "base/crypto/md5.hpp"
#include "base/crypto/secret.hpp"
#include "base/file/state_file.hpp"
#include "probe/datagram.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace radius = wire::radius;
using Bytes = std::span<const std::uint8_t>;

namespace {

Bytes bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Code, identifier, length, Request Authenticator, attributes: what both proofs are made of.
std::vector<std::uint8_t> with_request_authenticator(Bytes reply, Bytes request) {
    std::vector<std::uint8_t> out(reply.begin(), reply.end());
    std::copy_n(request.begin() + 4, radius::kDigestBytes, out.begin() + 4);
    return out;
}

/// RFC 2865 section 3, Response Authenticator.
bool proves_itself(const radius::Packet& reply, Bytes request, const std::string& secret) {
    auto hashed = with_request_authenticator(reply.bytes, request);
    hashed.insert(hashed.end(), secret.begin(), secret.end());
    const auto digest = base::crypto::md5(hashed);
    return digest && base::crypto::same_secret(text_of(*digest), text_of(reply.authenticator()));
}

/// RFC 2869 section 5.14.
bool authenticates(
    const radius::Packet& reply, std::size_t at, Bytes request, const std::string& secret
) {
    auto hashed = with_request_authenticator(reply.bytes, request);
    std::fill_n(hashed.begin() + static_cast<std::ptrdiff_t>(at), radius::kDigestBytes, 0);
    const auto digest = base::crypto::hmac_md5(bytes_of(secret), hashed);
    const auto claimed = reply.bytes.subspan(at, radius::kDigestBytes);
    return digest && base::crypto::same_secret(text_of(*digest), text_of(claimed));
}

radius::Authenticator random_authenticator() {
    std::random_device source;
    radius::Authenticator out;
    for (auto& byte : out) byte = static_cast<std::uint8_t>(source());
    return out;
}

/// The secret, or why there is none.
struct Secret {
    std::string text;
    std::string problem;
};
Secret read_secret(const std::string& file) {
    Secret out;
    auto text = base::file::read_state_file(file);
    if (!text || !*text) {
        out.problem = "secret file: " + (text ? "there is none" : text.error().message());
        return out;
    }
    out.text = std::move(**text);
    while (!out.text.empty() && (out.text.back() == '\n' || out.text.back() == '\r'))
        out.text.pop_back();
    if (out.text.empty()) out.problem = "the secret file is empty";
    return out;
}

}  // namespace

std::vector<std::uint8_t> make_status_request(
    std::uint8_t identifier, const radius::Authenticator& random, const std::string& secret
) {
    auto out = radius::status_server(identifier, random);
    const auto digest = base::crypto::hmac_md5(bytes_of(secret), out);
    if (!digest) return {};
    std::copy(digest->begin(), digest->end(), out.begin() + radius::kRequestDigestAt);
    return out;
}

std::string status_reply_fault(
    Bytes datagram, Bytes request, const std::string& secret, bool demand_authenticator
) {
    const auto reply = radius::decode(datagram);
    if (!reply) return "a malformed packet came";
    if (request.size() < radius::kHeaderBytes || reply->identifier != request[1])
        return "a reply to another request came";
    if (!proves_itself(*reply, request, secret))
        return "a reply came from somebody who does not know the secret";
    if (reply->authenticator_at &&
        !authenticates(*reply, *reply->authenticator_at, request, secret))
        return "a reply with a wrong Message-Authenticator came";
    if (demand_authenticator && !reply->authenticator_at)
        return "a reply without Message-Authenticator came";
    if (reply->code != radius::code::access_accept &&
        reply->code != radius::code::accounting_response)
        return "a reply with code " + std::to_string(reply->code) + " came";
    return {};
}

boost::asio::awaitable<Outcome> RadiusProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    const auto secret = read_secret(ask_.secret_file);
    if (!secret.problem.empty()) co_return watch.not_possible(secret.problem);
    const auto random = random_authenticator();
    const auto request = make_status_request(random[0], random, secret.text);
    if (request.empty()) co_return watch.not_possible("the system forbids MD5");
    std::string fault;
    // What does not prove itself may be anybody's: it is no answer, but worth a word.
    const auto take = [&](Bytes datagram) {
        fault = status_reply_fault(datagram, request, secret.text, ask_.demand_authenticator);
        return fault.empty();
    };
    auto exchange = exchange_datagrams(place_, request, take);
    const auto done = co_await base::async::with_deadline(std::move(exchange), limit);
    if (done) co_return watch.good();
    if (done.error() == boost::asio::error::timed_out && !fault.empty())
        co_return watch.bad("timed out; " + fault);
    co_return watch.failed(done.error());
}

}  // namespace twinsite::probe
