// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace twinsite::architecture {

/// One line of a source file, with what a comment says taken away.
struct Line {
    int number = 0;
    std::string text;  ///< As written.
    std::string code;  ///< Without `//` and `/* */` comments.
};

/// One file of the checkout.
struct SourceFile {
    std::string path;  ///< Relative to the root, with '/'.
    std::vector<Line> lines;

    /// The whole file without its comments, lines joined by '\n'.
    [[nodiscard]] std::string code() const;
};

/// The first folder of a path and the second one, when the file is not directly in the first.
struct Place {
    std::string component;
    std::string room;  ///< Empty: a file directly in the component (main, app, config).
};

Place place_of(const std::string& path);

/// Every C++ file below the given folders of the checkout, sorted by path.
std::vector<SourceFile> read_sources(const std::vector<std::string>& folders);

/// The path in a `#include "..."` or `#include <...>`; empty when the line is none.
/// `quoted` tells the two apart.
std::string included_path(const Line& line, bool& quoted);

}  // namespace twinsite::architecture
