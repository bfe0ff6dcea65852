// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/bundle.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::group {
namespace {

constexpr std::string_view kMark = "twinsite intent 1\n";

bool is_allowed(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("-_./+@").find(c) != std::string_view::npos;
}

/// The text up to the next line feed, taken from `rest`; false when there is none.
bool take_line(std::string_view& rest, std::string_view& line) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return false;
    line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
}

base::Result<void> take_file(std::string_view& rest, Files& out) {
    std::string_view line;
    if (!take_line(rest, line)) return Errc::bad_bundle;
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) return Errc::bad_bundle;
    const auto digits = line.substr(0, blank);
    const auto size = base::text::parse_number<std::uint64_t>(digits);
    // One way to write a number: equal files are equal bytes.
    if (!size || std::to_string(*size) != digits) return Errc::bad_bundle;
    const std::string path(line.substr(blank + 1));
    if (!is_bundle_path(path)) return Errc::bad_path;
    if (rest.size() <= *size || rest[*size] != '\n') return Errc::bad_bundle;
    // In order, so that nothing stands there twice.
    if (!out.empty() && out.rbegin()->first >= path) return Errc::bad_bundle;
    out.emplace(path, rest.substr(0, *size));
    rest.remove_prefix(*size + 1);
    return {};
}

}  // namespace

bool is_bundle_path(std::string_view path) {
    constexpr std::size_t kLongest = 200;
    if (path.empty() || path.size() > kLongest) return false;
    if (!std::all_of(path.begin(), path.end(), is_allowed)) return false;
    const auto parts = base::text::split(path, '/');
    return std::none_of(parts.begin(), parts.end(), [](std::string_view part) {
        return part.empty() || part.front() == '.';
    });
}

std::string pack(const Files& files) {
    std::string out(kMark);
    for (const auto& [path, text] : files)
        out += std::to_string(text.size()) + " " + path + "\n" + text + "\n";
    return out;
}

base::Result<Files> unpack(std::string_view content) {
    if (content.size() > wire::group::kMaxIntentBytes) return Errc::too_large;
    if (!content.starts_with(kMark)) return Errc::bad_bundle;
    content.remove_prefix(kMark.size());
    Files out;
    while (!content.empty()) {
        if (out.size() == kMaxFiles) return Errc::too_large;
        if (auto taken = take_file(content, out); !taken) return taken.error();
    }
    return out;
}

}  // namespace twinsite::gslb::group
