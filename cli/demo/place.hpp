// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/demo/commands.hpp"
#include "cli/demo/layout.hpp"

namespace twinsite::cli::demo {

/// Where the demo of a command is, from its options and from what runs there.
struct Place {
    std::filesystem::path state;       ///< Absolute.
    std::string net;                   ///< As asked for, else of the running demo, else 127.0.
    std::optional<std::string> noted;  ///< Net of the demo that was started here.
    std::string fault;                 ///< Not empty: the options make no sense.
};

Place find_place(const Options& options);
/// The folder of this very program: the others lie beside it.
std::filesystem::path programs_folder();

/// " --state DIR" when the folder is not the default one, for command lines shown to people.
std::string extra_arguments(const Layout& layout);
std::string absent_text(const std::filesystem::path& state);
std::string busy_text(const std::filesystem::path& state);
std::string selection_usage();

}  // namespace twinsite::cli::demo
