// SPDX-License-Identifier: Apache-2.0
#include "base/http/message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text/text.hpp"

namespace twinsite::base::http {

const std::string* find_header(const Headers& headers, std::string_view name) {
    const auto same = [name](const auto& header) {
        return text::equals_ignoring_case(header.first, name);
    };
    const auto found = std::find_if(headers.begin(), headers.end(), same);
    return found == headers.end() ? nullptr : &found->second;
}

std::optional<std::string> find_query(const Request& request, std::string_view name) {
    for (const auto& [key, value] : request.query)
        if (key == name) return value;
    return std::nullopt;
}

Response problem(
    unsigned status, std::string_view title, std::string_view detail, std::string_view extra_members
) {
    Response out;
    out.status = status;
    out.content_type = "application/problem+json";
    out.body = R"({"type":"about:blank","title":)" + quote_json(title) +
               ",\"status\":" + std::to_string(status) + ",\"detail\":" + quote_json(detail);
    if (!extra_members.empty()) out.body.append(",").append(extra_members);
    out.body += "}";
    return out;
}

namespace {

/// Size of the valid UTF-8 sequence at the start of `text` (RFC 3629 section 4), 0 for none.
std::size_t utf8_sequence(std::string_view text) {
    const auto at = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = at(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((at(i) & 0xC0) != 0x80) return 0;
    const std::uint8_t second = at(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool beyond = first == 0xF4 && second > 0x8F;
    return overlong || surrogate || beyond ? 0 : size;
}

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void append_escaped(std::string& out, char letter) {
    switch (letter) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<std::uint8_t>(letter);
    if (byte >= 0x20) {
        out += letter;
        return;
    }
    out += "\\u00";
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
}

}  // namespace

std::string quote_json(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const auto size = utf8_sequence(text);
        if (size == 0)
            out += "\xEF\xBF\xBD";  // U+FFFD
        else if (size == 1)
            append_escaped(out, text.front());
        else
            out.append(text.substr(0, size));
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out + "\"";
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            if (text.size() - i < 3) return std::nullopt;
            const auto byte = text::parse_number<std::uint8_t>(text.substr(i + 1, 2), 16);
            if (!byte || *byte == 0) return std::nullopt;
            out += static_cast<char>(*byte);
            i += 2;
        }
    }
    return out;
}

std::string percent_encode(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        const bool unreserved = (letter >= 'A' && letter <= 'Z') ||
                                (letter >= 'a' && letter <= 'z') ||
                                (letter >= '0' && letter <= '9') ||
                                std::string_view("-._~").find(letter) != std::string_view::npos;
        if (unreserved) {
            out += letter;
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(letter);
        out += '%';
        out += kHexDigits[byte >> 4];
        out += kHexDigits[byte & 15];
    }
    return out;
}

bool split_target(Request& request) {
    const std::string_view target = request.target;
    if (target.empty() || target.front() != '/') return false;
    const auto bad = [](char letter) { return letter <= ' ' || letter == 0x7F || letter == '#'; };
    if (std::any_of(target.begin(), target.end(), bad)) return false;
    const auto mark = target.find('?');
    auto path = percent_decode(target.substr(0, mark));
    if (!path) return false;
    request.path = std::move(*path);
    request.query.clear();
    if (mark == std::string_view::npos) return true;
    for (const auto part : text::split(target.substr(mark + 1), '&')) {
        if (part.empty()) continue;
        const auto equals = part.find('=');
        auto key = percent_decode(part.substr(0, equals), true);
        auto value = equals == std::string_view::npos
                         ? std::optional<std::string>("")
                         : percent_decode(part.substr(equals + 1), true);
        if (!key || !value) return false;
        request.query.emplace_back(std::move(*key), std::move(*value));
    }
    return true;
}

std::string_view reason(unsigned status) {
    struct Entry {
        unsigned status;
        std::string_view words;
    };
    static constexpr std::array<Entry, 24> kReasons{{
        {100, "Continue"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    }};
    for (const auto& entry : kReasons)
        if (entry.status == status) return entry.words;
    return "Status";
}

namespace {

/// A header line. What could start another line becomes a blank (RFC 9110 section 5.5).
void append_header(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ");
    for (const char letter : value)
        out += letter == '\r' || letter == '\n' || letter == '\0' ? ' ' : letter;
    out += "\r\n";
}

void append_headers(std::string& out, const Headers& headers) {
    for (const auto& [name, value] : headers) append_header(out, name, value);
}

/// RFC 9110 section 8.6: these never carry a body nor a length.
bool bodyless(unsigned status) {
    return status < 200 || status == 204 || status == 304;
}

}  // namespace

std::string serialize(const Request& request, std::string_view host, bool keep_alive) {
    std::string out = request.method + " " + request.target + " HTTP/1.1\r\n";
    if (!find_header(request.headers, "Host")) append_header(out, "Host", host);
    append_headers(out, request.headers);
    if (!keep_alive) append_header(out, "Connection", "close");
    const bool counted =
        !request.body.empty() || (request.method != "GET" && request.method != "HEAD");
    if (counted) append_header(out, "Content-Length", std::to_string(request.body.size()));
    return out + "\r\n" + request.body;
}

std::string serialize(const Response& response, bool keep_alive, bool with_body) {
    std::string out = "HTTP/1.1 " + std::to_string(response.status) + " ";
    out.append(reason(response.status)).append("\r\n");
    const bool empty = bodyless(response.status);
    if (!empty) {
        append_header(out, "Content-Type", response.content_type);
        append_header(out, "Content-Length", std::to_string(response.body.size()));
    }
    append_headers(out, response.headers);
    if (!keep_alive) append_header(out, "Connection", "close");
    out += "\r\n";
    if (with_body && !empty) out += response.body;
    return out;
}

}  // namespace twinsite::base::http
