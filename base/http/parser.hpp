// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "base/http/message.hpp"

/// HTTP/1.1 messages from bytes, as they come. Pure; bounded by what it is told. The parser behind
/// it is Beast's, and parser.cpp the only file that pays for its headers.
namespace twinsite::base::http {

/// One request after the other from a connection.
class RequestReader {
public:
    RequestReader(std::uint32_t header_bytes, std::uint64_t body_bytes);
    ~RequestReader();

    /// Takes all of `bytes`; what belongs to the next request is kept. After an error the
    /// connection is of no use. Errors: malformed, header_too_large, body_too_large.
    Result<void> feed(std::string_view bytes);
    /// At least one byte of the current request is here.
    bool begun() const;
    bool header_done() const;
    bool done() const;
    /// The client waits for "100 Continue" before it sends the body. True once per request.
    bool take_expectation();
    bool keep_alive() const;
    /// The finished request, without `path` and `query`. Afterwards `resume` starts on the next
    /// one, all of which may be here already: look at `done` before reading more.
    Request take();
    Result<void> resume();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// One response.
class ResponseReader {
public:
    /// `head`: the response to a HEAD request, which has a length but no body.
    ResponseReader(std::uint32_t header_bytes, std::uint64_t body_bytes, bool head);
    ~ResponseReader();

    Result<void> feed(std::string_view bytes);
    /// The peer closed the connection: ends a body without a length; else closed_early.
    Result<void> feed_end();
    /// At least one byte is here.
    bool begun() const;
    bool done() const;
    bool header_done() const;
    /// Done, and the connection can carry the next request: nothing came behind the response, and
    /// the peer does not close.
    bool reusable() const;
    /// Bytes of the body so far.
    std::size_t body_size() const;
    /// What is here: the whole response once `done`, or its beginning once `header_done`.
    Response take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::base::http
