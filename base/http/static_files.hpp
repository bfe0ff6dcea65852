// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/http/router.hpp"

namespace twinsite::base::http {

/// Files of a folder, read once at the start and served from memory under their own names, so that
/// no path of a request ever reaches the file system.
class StaticFiles {
public:
    /// All regular files below `folder`, at most 64 MiB in all (file_too_large). Names that begin
    /// with a dot, symbolic links and names with braces are left out. Other errors are the
    /// system's.
    static Result<StaticFiles> read(const std::string& folder);

    /// GET of "/NAME" for each file; "/" is "/index.html". `headers` go with every answer. With
    /// ETag, and 304 for a client that has the file already.
    void add_routes(Router& router, const Headers& headers = {}) const;
    std::size_t size() const { return files_.size(); }

private:
    struct File {
        std::string name;  ///< "/i18n/en.js"
        std::string content_type;
        std::string etag;
        std::string body;
    };
    std::vector<File> files_;
};

}  // namespace twinsite::base::http
