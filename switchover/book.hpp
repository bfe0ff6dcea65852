// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "switchover/config.hpp"
#include "switchover/scenario/lint.hpp"
#include "switchover/scenario/names.hpp"
#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover {

/// One scenario as its file has it. Never changed once it is read.
struct BookEntry {
    scenario::Scenario scenario;
    std::string source;  ///< The file's text.
    std::string hash;    ///< SHA-256 of the text.
    std::string file;
    scenario::Lint lint;
};

/// All scenarios of the configured folder, by name.
using Book = std::map<std::string, std::shared_ptr<const BookEntry>>;

struct LoadedBook {
    Book book;
    std::vector<std::string> findings;  ///< "file:line:column: $.path: text"; none: all are good.
};

/// What scenarios may name under this configuration.
scenario::Names names_for(const model::Plan& plan);
/// Reads the *.yaml files of the folder. Files that are wrong are findings and not in the book.
LoadedBook load_book(const Config& config);
/// A configuration with the scenarios it names.
struct LoadedConfig {
    Config config;
    Book book;
    std::vector<std::string> findings;
};
LoadedConfig load_config(const std::string& file);
/// A scenario from a text that was kept with its run; nullptr when it does not fit the
/// configuration any more.
std::shared_ptr<const BookEntry> parse_entry(
    const Config& config, const std::string& source, const std::string& file
);

}  // namespace twinsite::switchover
