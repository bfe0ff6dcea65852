// SPDX-License-Identifier: Apache-2.0
// The text functions of HTTP on arbitrary bytes, with the laws that hold between them; and the
// reader of responses, which a hostile server may feed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "base/http/message.hpp"
#include "base/http/parser.hpp"
#include "base/net/endpoint.hpp"

namespace http = twinsite::base::http;
namespace net = twinsite::base::net;

namespace {

void check_targets(std::string_view text) {
    http::Request request;
    request.target = std::string(text);
    if (!http::split_target(request)) return;
    BASE_CHECK(request.target.front() == '/' && request.path.front() == '/');
    BASE_CHECK(request.path.find('\0') == std::string::npos);
    http::Request again;
    again.target = "/" + http::percent_encode(request.path.substr(1));
    BASE_CHECK(http::split_target(again) && again.path == request.path);
}

std::size_t replacements(std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find("\xEF\xBF\xBD"); at != std::string_view::npos;
         at = text.find("\xEF\xBF\xBD", at + 3))
        ++count;
    return count;
}

void check_escapes(std::string_view text) {
    if (text.find('\0') == std::string_view::npos)
        BASE_CHECK(http::percent_decode(http::percent_encode(text)) == text);
    const auto quoted = http::quote_json(text);
    BASE_CHECK(quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"');
    for (const char letter : quoted) BASE_CHECK(static_cast<unsigned char>(letter) >= 0x20);
    // What is quoted is valid UTF-8: quoting its inside again has nothing to replace.
    const auto inside = std::string_view(quoted).substr(1, quoted.size() - 2);
    BASE_CHECK(replacements(http::quote_json(inside)) == replacements(inside));
}

void check_endpoints(std::string_view text) {
    const auto endpoint = net::parse_endpoint(text);
    if (endpoint) BASE_CHECK(net::parse_endpoint(net::to_string(*endpoint)) == endpoint);
}

void read_response(std::string_view bytes) {
    http::ResponseReader reader(512, 256, false);
    for (std::size_t at = 0; at < bytes.size() && !reader.done(); at += 7)
        if (!reader.feed(bytes.substr(at, 7))) return;
    if (!reader.done() && !reader.feed_end()) return;
    BASE_CHECK(reader.take().body.size() <= 256);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_targets(text);
    check_escapes(text);
    check_endpoints(text);
    read_response(text);
    return 0;
}
