// SPDX-License-Identifier: Apache-2.0
#include "base/http/static_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/crypto/digest.hpp"
#include "base/file/state_file.hpp"

namespace twinsite::base::http {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kAllBytes = std::size_t{64} << 20;

std::string content_type_of(const fs::path& file) {
    struct Entry {
        std::string_view extension;
        std::string_view type;
    };
    static constexpr std::array<Entry, 12> kTypes{{
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
        {".webmanifest", "application/manifest+json"},
    }};
    const auto extension = file.extension().string();
    for (const auto& entry : kTypes)
        if (entry.extension == extension) return std::string(entry.type);
    return "application/octet-stream";
}

/// One segment of a name that can be a route as it is.
bool servable(const fs::path& file) {
    const auto name = file.filename().string();
    return !name.starts_with('.') && name.find_first_of("{}") == std::string::npos;
}

bool has_it(const Request& request, std::string_view etag) {
    const auto* known = find_header(request.headers, "If-None-Match");
    return known && (*known == "*" || known->find(etag) != std::string::npos);
}

}  // namespace

Result<StaticFiles> StaticFiles::read(const std::string& folder) {
    StaticFiles out;
    std::size_t bytes = 0;
    std::error_code failure;
    fs::recursive_directory_iterator at(folder, failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        const auto status = at->symlink_status(failure);
        if (failure) break;
        if (!servable(at->path())) {
            if (fs::is_directory(status)) at.disable_recursion_pending();
            continue;
        }
        if (!fs::is_regular_file(status)) continue;
        auto text = file::read_state_file(at->path().string());
        if (!text) return text.error();
        if (!*text) continue;  // gone meanwhile
        bytes += (*text)->size();
        if (bytes > kAllBytes) return Error(EFBIG, boost::system::system_category());
        File file;
        file.name = "/" + at->path().lexically_relative(folder).generic_string();
        file.content_type = content_type_of(at->path());
        file.etag = "\"" + crypto::sha256_hex(**text).substr(0, 32) + "\"";
        file.body = std::move(**text);
        out.files_.push_back(std::move(file));
    }
    if (failure) return Error(failure.value(), boost::system::system_category());
    return out;
}

void StaticFiles::add_routes(Router& router, const Headers& headers) const {
    for (const auto& file : files_) {
        Response ready;
        ready.content_type = file.content_type;
        ready.headers = headers;
        ready.headers.emplace_back("ETag", file.etag);
        ready.headers.emplace_back("Cache-Control", "no-cache");  // ask each time, by ETag
        ready.headers.emplace_back("X-Content-Type-Options", "nosniff");
        ready.body = file.body;
        const auto shared = std::make_shared<const Response>(std::move(ready));
        const auto serve = [shared, etag = file.etag](const Request& request, const auto&) {
            if (!has_it(request, etag)) return *shared;
            Response same;
            same.status = 304;
            same.headers = shared->headers;
            return same;
        };
        router.add("GET", file.name, serve);
        if (file.name == "/index.html") router.add("GET", "/", serve);
    }
}

}  // namespace twinsite::base::http
