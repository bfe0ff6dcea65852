// SPDX-License-Identifier: Apache-2.0
#include "base/http/parser.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/parser.hpp>

#include "base/http/error.hpp"

namespace twinsite::base::http {

namespace beast = boost::beast::http;
namespace asio = boost::asio;

namespace {

/// A body kept as a string that grows with what arrives: the length that a peer announces must not
/// make us reserve memory.
struct GrowingBody {
    using value_type = std::string;

    class reader {
    public:
        template <bool is_request, class Fields>
        reader(beast::header<is_request, Fields>&, value_type& body) : body_(body) {}
        template <class Length>
        void init(const Length&, Error& failure) {
            failure = {};
        }
        template <class Buffers>
        std::size_t put(const Buffers& buffers, Error& failure) {
            failure = {};
            std::size_t size = 0;
            for (auto at = asio::buffer_sequence_begin(buffers);
                 at != asio::buffer_sequence_end(buffers);
                 ++at) {
                const asio::const_buffer part = *at;
                body_.append(static_cast<const char*>(part.data()), part.size());
                size += part.size();
            }
            return size;
        }
        void finish(Error& failure) { failure = {}; }

    private:
        value_type& body_;
    };
};

Error translate(const Error& failure) {
    if (failure == beast::error::header_limit) return Errc::header_too_large;
    if (failure == beast::error::body_limit) return Errc::body_too_large;
    if (failure == beast::error::partial_message || failure == beast::error::end_of_stream)
        return Errc::closed_early;
    return Errc::malformed;
}

/// Gives `parser` what it can use of `bytes` and removes that from it.
template <class Parser>
Result<void> put(Parser& parser, std::string& bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !parser.is_done()) {
        Error failure;
        const auto rest = asio::buffer(bytes.data() + used, bytes.size() - used);
        const auto taken = parser.put(rest, failure);
        used += taken;
        if (failure == beast::error::need_more) break;
        if (failure) return translate(failure);
        if (taken == 0) break;
    }
    bytes.erase(0, used);
    return {};
}

Headers headers_of(const beast::fields& fields) {
    Headers out;
    for (const auto& field : fields)
        out.emplace_back(std::string(field.name_string()), std::string(field.value()));
    return out;
}

template <class Parser>
std::unique_ptr<Parser> make_parser(std::uint32_t header_bytes, std::uint64_t body_bytes) {
    auto parser = std::make_unique<Parser>();
    parser->eager(true);
    parser->header_limit(header_bytes);
    parser->body_limit(body_bytes);
    return parser;
}

}  // namespace

struct RequestReader::State {
    using Parser = beast::parser<true, GrowingBody>;

    std::uint32_t header_bytes;
    std::uint64_t body_bytes;
    std::unique_ptr<Parser> parser;
    std::string bytes;
    bool expectation_taken = false;
};

RequestReader::RequestReader(std::uint32_t header_bytes, std::uint64_t body_bytes)
    : state_(std::make_unique<State>()) {
    state_->header_bytes = header_bytes;
    state_->body_bytes = body_bytes;
    state_->parser = make_parser<State::Parser>(header_bytes, body_bytes);
}
RequestReader::~RequestReader() = default;

Result<void> RequestReader::feed(std::string_view bytes) {
    state_->bytes.append(bytes);
    return resume();
}

Result<void> RequestReader::resume() {
    auto result = put(*state_->parser, state_->bytes);
    // The parser keeps nothing of an unfinished line (header, chunk header, trailer), so its own
    // limits do not see one that never ends. Bytes of the body are always taken at once.
    if (result && !state_->parser->is_done() && state_->bytes.size() > state_->header_bytes)
        return Errc::header_too_large;
    return result;
}

bool RequestReader::begun() const {
    return state_->parser->got_some() || !state_->bytes.empty();
}
bool RequestReader::header_done() const {
    return state_->parser->is_header_done();
}
bool RequestReader::done() const {
    return state_->parser->is_done();
}

bool RequestReader::take_expectation() {
    if (state_->expectation_taken || !header_done() || done()) return false;
    const auto& fields = state_->parser->get();
    if (!boost::beast::iequals(fields[beast::field::expect], "100-continue")) return false;
    state_->expectation_taken = true;
    return true;
}

bool RequestReader::keep_alive() const {
    return state_->parser->keep_alive();
}

Request RequestReader::take() {
    auto message = state_->parser->release();
    Request out;
    out.method = std::string(message.method_string());
    out.target = std::string(message.target());
    out.headers = headers_of(message.base());
    out.body = std::move(message.body());
    state_->parser = make_parser<State::Parser>(state_->header_bytes, state_->body_bytes);
    state_->expectation_taken = false;
    return out;
}

struct ResponseReader::State {
    using Parser = beast::parser<false, GrowingBody>;

    std::unique_ptr<Parser> parser;
    std::string bytes;
    std::uint32_t header_bytes;
};

ResponseReader::ResponseReader(std::uint32_t header_bytes, std::uint64_t body_bytes, bool head)
    : state_(std::make_unique<State>()) {
    state_->parser = make_parser<State::Parser>(header_bytes, body_bytes);
    state_->parser->skip(head);
    state_->header_bytes = header_bytes;
}
ResponseReader::~ResponseReader() = default;

Result<void> ResponseReader::feed(std::string_view bytes) {
    state_->bytes.append(bytes);
    auto result = put(*state_->parser, state_->bytes);
    if (result && !done() && state_->bytes.size() > state_->header_bytes)
        return Errc::header_too_large;
    return result;
}

Result<void> ResponseReader::feed_end() {
    if (!state_->parser->got_some()) return Errc::closed_early;
    Error failure;
    state_->parser->put_eof(failure);
    if (failure) return translate(failure);
    if (!state_->parser->is_done()) return Errc::closed_early;
    return {};
}

bool ResponseReader::done() const {
    return state_->parser->is_done();
}
bool ResponseReader::header_done() const {
    return state_->parser->is_header_done();
}
bool ResponseReader::begun() const {
    return state_->parser->got_some() || !state_->bytes.empty();
}
bool ResponseReader::reusable() const {
    return done() && state_->parser->keep_alive() && state_->bytes.empty();
}
std::size_t ResponseReader::body_size() const {
    return state_->parser->get().body().size();
}

Response ResponseReader::take() {
    auto& message = state_->parser->get();
    Response out;
    out.status = message.result_int();
    out.content_type = std::string(message[beast::field::content_type]);
    out.headers = headers_of(message.base());
    out.body = std::move(message.body());
    return out;
}

}  // namespace twinsite::base::http
