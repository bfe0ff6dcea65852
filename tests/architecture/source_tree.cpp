// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

namespace twinsite::architecture {

namespace {

namespace fs = std::filesystem;

bool is_cpp(const fs::path& path) {
    const auto extension = path.extension();
    return extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".c";
}

// Removes comments from one line; `inside` carries an open block comment to the next line.
// String literals are stepped over, so that "http://x" is not a comment.
std::string without_comments(const std::string& text, bool& inside) {
    std::string out;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto pair = text.substr(i, 2);
        if (inside) {
            if (pair == "*/") inside = false, ++i;
            continue;
        }
        if (!quoted && pair == "//") break;
        if (!quoted && pair == "/*") {
            inside = true, ++i;
            continue;
        }
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\'')) quoted = !quoted;
        out += text[i];
        if (quoted && text[i] == '\\' && i + 1 < text.size()) out += text[++i];
    }
    return out;
}

SourceFile read_file(const fs::path& path, const fs::path& root) {
    SourceFile file{fs::relative(path, root).generic_string(), {}};
    std::ifstream in(path);
    std::string text;
    bool inside = false;
    for (int number = 1; std::getline(in, text); ++number)
        file.lines.push_back({number, text, without_comments(text, inside)});
    return file;
}

}  // namespace

std::string SourceFile::code() const {
    std::string out;
    for (const auto& line : lines) out += line.code + '\n';
    return out;
}

Place place_of(const std::string& path) {
    const auto first = path.find('/');
    if (first == std::string::npos) return {};
    const auto second = path.find('/', first + 1);
    if (second == std::string::npos) return {path.substr(0, first), ""};
    return {path.substr(0, first), path.substr(first + 1, second - first - 1)};
}

std::vector<SourceFile> read_sources(const std::vector<std::string>& folders) {
    const fs::path root = SOURCE_ROOT;
    std::vector<SourceFile> out;
    for (const auto& folder : folders) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && is_cpp(entry.path()))
                out.push_back(read_file(entry.path(), root));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return out;
}

std::string included_path(const Line& line, bool& quoted) {
    static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::smatch found;
    if (line.text.find('#') == std::string::npos) return {};
    if (!std::regex_search(line.text, found, kInclude)) return {};
    quoted = found[1] == "\"";
    return found[2];
}

}  // namespace twinsite::architecture
