// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "gslb/group/error.hpp"

namespace twinsite::gslb::group {

/// The files of an intent: path relative to its folder, and content. intent.yaml is the one that
/// names the others.
using Files = std::map<std::string, std::string>;

inline constexpr std::string_view kIntentFile = "intent.yaml";
/// Most files of one bundle.
inline constexpr std::size_t kMaxFiles = 10'000;

/// Whether a file may stand in a bundle: 1 to 200 bytes of letters, digits and "-_./+@", no empty
/// part, and no part that begins with a dot.
bool is_bundle_path(std::string_view path);

/// "twinsite intent 1", then each file as a line "SIZE PATH", its bytes and a line feed, in the
/// order of paths: equal files give equal bytes.
std::string pack(const Files& files);
/// Errors: bad_bundle, bad_path, too_large.
base::Result<Files> unpack(std::string_view content);

}  // namespace twinsite::gslb::group
