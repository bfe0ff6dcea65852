// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace twinsite::cli {

enum class Format : std::uint8_t { text, json };

/// What holds for every command of one run.
struct Settings {
    std::string socket;  ///< Empty: from the environment, else the packaged default.
    Format format = Format::text;
    std::chrono::milliseconds limit{5'000};  ///< For one call of a daemon.
};

}  // namespace twinsite::cli
