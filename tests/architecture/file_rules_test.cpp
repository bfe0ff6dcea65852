// SPDX-License-Identifier: Apache-2.0
// Rules about files and words that a compiler does not check.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.hpp"

namespace twinsite::architecture {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kProduct = {
    "base", "wire", "probe", "gslb", "slb", "monitor", "switchover", "cli", "tools"
};
const std::vector<std::string> kAll = {
    "base",
    "wire",
    "probe",
    "gslb",
    "slb",
    "monitor",
    "switchover",
    "cli",
    "tools",
    "bench",
    "tests"
};

std::string where(const SourceFile& file, const Line& line) {
    return file.path + ":" + std::to_string(line.number) + ": " + line.text;
}

TEST(FileRules, EveryFileNamesItsLicenceInTheFirstLine) {
    for (const auto& file : read_sources(kAll)) {
        ASSERT_FALSE(file.lines.empty()) << file.path << " is empty";
        EXPECT_EQ(file.lines.front().text, "// SPDX-License-Identifier: Apache-2.0") << file.path;
    }
}

TEST(FileRules, ScriptsAndBuildFilesNameTheirLicence) {
    const fs::path root = SOURCE_ROOT;
    for (const auto* folder :
         {"bench",
          "cli",
          "cmake",
          "gslb",
          "slb",
          "monitor",
          "switchover",
          "scripts",
          "tests",
          "tools"}) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const auto name = entry.path().filename().string();
            if (name != "CMakeLists.txt" && !name.ends_with(".cmake") && !name.ends_with(".py"))
                continue;
            std::ifstream in(entry.path());
            std::string first;
            std::string second;
            std::getline(in, first);
            std::getline(in, second);
            const std::string licence = "# SPDX-License-Identifier: Apache-2.0";
            EXPECT_TRUE(first == licence || second == licence) << entry.path();
        }
    }
}

TEST(FileRules, NoFileGrowsPastSixHundredLines) {
    for (const auto& file : read_sources(kAll))
        EXPECT_LE(file.lines.size(), 600U) << file.path << " needs a second noun";
}

TEST(FileRules, HeadersAreGuardedByPragmaOnce) {
    for (const auto& file : read_sources(kAll)) {
        if (!file.path.ends_with(".hpp")) continue;
        const auto guarded =
            std::any_of(file.lines.begin(), file.lines.end(), [](const Line& line) {
                return line.text == "#pragma once";
            });
        EXPECT_TRUE(guarded) << file.path;
    }
}

TEST(FileRules, NoTaskIsDetached) {
    const std::regex word(R"(\bdetached\b|\.detach\s*\()");
    for (const auto& file : read_sources(kProduct))
        for (const auto& line : file.lines)
            EXPECT_FALSE(std::regex_search(line.code, word)) << where(file, line);
}

// It throws when a file that opens cannot be read (a folder, a process that ended meanwhile):
// base/file/state_file reads whole files.
TEST(FileRules, NoFileIsReadThroughABareStreamBuffer) {
    for (const auto& file : read_sources(kProduct))
        for (const auto& line : file.lines)
            EXPECT_EQ(line.code.find("istreambuf_iterator"), std::string::npos)
                << where(file, line);
}

TEST(FileRules, NothingIsPostponedInAComment) {
    const std::regex word(R"(\b(TODO|FIXME|XXX|HACK)\b)");
    for (const auto& file : read_sources(kProduct))
        for (const auto& line : file.lines)
            EXPECT_FALSE(std::regex_search(line.text, word)) << where(file, line);
}

TEST(FileRules, NoFileIsNamedAfterNothing) {
    const std::regex name(R"((^|/|_)(util|utils|common|helper|helpers|manager|misc)(_|\.|/))");
    for (const auto& file : read_sources(kProduct))
        EXPECT_FALSE(std::regex_search(file.path, name)) << file.path;
}

}  // namespace
}  // namespace twinsite::architecture
