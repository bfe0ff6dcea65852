// SPDX-License-Identifier: Apache-2.0
// A connection's bytes through the request reader, the target parser and the router. The first
// byte says how the rest is cut into reads; where it is cut must not matter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/check.hpp"
#include "base/http/error.hpp"
#include "base/http/parser.hpp"
#include "base/http/router.hpp"

namespace {

namespace http = twinsite::base::http;

constexpr std::uint32_t kHeaderBytes = 512;
constexpr std::uint64_t kBodyBytes = 256;

http::Router make_router() {
    http::Router out;
    const auto echo = [](const http::Request& request, const http::PathParameters&) {
        http::Response response;
        response.body = request.body + http::quote_json(request.path);
        for (const auto& [key, value] : request.query)
            response.headers.emplace_back("X-Query", key + "=" + value);
        return response;
    };
    out.add("GET", "/api/v1/explain", echo);
    out.add("PUT", "/api/v1/overrides/{service}/{target}", echo);
    out.add("POST", "/api/v1/blades/{name}/drain", echo);
    return out;
}

/// Everything that a connection with these bytes would be answered.
std::string answers(const http::Router& router, std::string_view bytes, std::size_t piece) {
    http::RequestReader reader(kHeaderBytes, kBodyBytes);
    std::string out;
    while (!bytes.empty()) {
        const auto part = bytes.substr(0, piece);
        bytes.remove_prefix(part.size());
        auto fed = reader.feed(part);
        while (fed && reader.done()) {
            auto request = reader.take();
            BASE_CHECK(request.body.size() <= kBodyBytes);
            const auto response = http::split_target(request) ? router.handle(request)
                                                              : http::problem(400, "bad", "target");
            out += http::serialize(response, true, true);
            fed = reader.resume();
        }
        if (!fed) return out + "!" + fed.error().message();
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const http::Router router = make_router();
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const auto in_pieces = answers(router, bytes, std::max<std::size_t>(1, data[0]));
    const auto at_once = answers(router, bytes, bytes.size());
    // The limit of a header is judged when its bytes are there, so a cut may judge it later; all
    // that was answered before is the same.
    const auto common = std::min(in_pieces.find('!'), at_once.find('!'));
    BASE_CHECK(in_pieces.substr(0, common) == at_once.substr(0, common));
    return 0;
}
