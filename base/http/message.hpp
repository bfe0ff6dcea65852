// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTTP/1.1 messages as plain values, and the text work on them. Pure.
namespace twinsite::base::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method = "GET";
    std::string target = "/";  ///< As on the wire: path and query, percent-encoded.
    std::string path = "/";    ///< The path of `target`, decoded. Filled by the server.
    std::string body;
    std::vector<std::pair<std::string, std::string>> query;  ///< Decoded, in the order given.
    Headers headers;  ///< Names as sent; compare them with `find_header`.
    /// TLS: the URI SAN of the client's certificate, "" unless it has exactly one; Unix: "uid:N".
    std::string peer_identity;
    std::string peer_address;  ///< "192.0.2.1", without port; "unix" for a Unix socket.
};

struct Response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body;
    Headers headers;  ///< Beside Content-Type, Content-Length and Connection.
};

/// First header of this name, upper and lower case alike; nullptr when there is none. The pointer
/// lives as long as `headers` stays unchanged.
const std::string* find_header(const Headers& headers, std::string_view name);
/// First query parameter of this name; nullopt when there is none.
std::optional<std::string> find_query(const Request& request, std::string_view name);

/// An error answer (RFC 9457): application/problem+json with title, status and detail.
/// `extra_members` is JSON text put in as it is after them, for example R"("findings":["a"])".
Response problem(
    unsigned status,
    std::string_view title,
    std::string_view detail,
    std::string_view extra_members = {}
);

/// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

/// Undoes percent-encoding; with `plus_is_blank` also "+" -> " " (query strings). nullopt for a
/// broken escape or an escaped NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank = false);
/// Escapes everything but the unreserved characters of RFC 3986 section 2.3.
std::string percent_encode(std::string_view text);
/// Fills `path` and `query` from `target`. False when the target is not a clean absolute path
/// (RFC 9112 section 3.2.1) with right escapes.
bool split_target(Request& request);

/// The words that belong to a status, "Not Found" for 404; "Status" when not known.
std::string_view reason(unsigned status);

/// The message as bytes, with Content-Length. `host` fills the Host header unless there is one.
std::string serialize(const Request& request, std::string_view host, bool keep_alive);
/// `with_body` false: only the header, as HEAD wants it.
std::string serialize(const Response& response, bool keep_alive, bool with_body);

}  // namespace twinsite::base::http
