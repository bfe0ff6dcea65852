// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/demo/layout.hpp"

namespace twinsite::cli::demo {

/// The folder of the demo's authority and certificates.
std::filesystem::path pki_folder(const Layout& layout);

/// A new authority, a certificate for every part that needs one, the switchover server's signing
/// key, and the operator's certificate, operator.crt. What an earlier demo left is replaced.
/// Why not, for people; empty: done.
std::string make_certificates(const Layout& layout);

}  // namespace twinsite::cli::demo
