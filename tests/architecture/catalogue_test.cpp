// SPDX-License-Identifier: Apache-2.0
// The operator's pages list exactly the events that the code writes to its log and the metric
// families that it exposes.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.hpp"

namespace twinsite::architecture {
namespace {

const std::vector<std::string> kProduct = {
    "base", "wire", "probe", "gslb", "slb", "monitor", "switchover", "cli", "tools"
};

// Name -> the first file that uses it.
using Uses = std::map<std::string, std::string>;

void collect(
    const std::string& text, const std::regex& pattern, const std::string& path, Uses& out
) {
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
         at != std::sregex_iterator();
         ++at)
        out.emplace((*at)[1], path);
}

Uses in_code(const std::regex& pattern) {
    Uses out;
    for (const auto& file : read_sources(kProduct)) collect(file.code(), pattern, file.path, out);
    return out;
}

std::set<std::string> in_page(const std::string& page, const std::regex& pattern) {
    std::ifstream in(std::filesystem::path(SOURCE_ROOT) / page);
    EXPECT_TRUE(in.good()) << page << " is missing";
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    Uses found;
    collect(text, pattern, page, found);
    std::set<std::string> out;
    for (const auto& [name, path] : found) out.insert(name);
    return out;
}

void expect_same(const Uses& code, const std::set<std::string>& page, const std::string& title) {
    for (const auto& [name, path] : code)
        EXPECT_TRUE(page.contains(name))
            << path << " uses " << name << ", which " << title << " does not explain";
    for (const auto& name : page)
        EXPECT_TRUE(code.contains(name)) << title << " explains " << name << ", which nothing uses";
}

TEST(Catalogue, EventsPageListsTheEventsOfTheCode) {
    // The level may be chosen: event(good ? Level::info : Level::warning, "name", ...)
    const std::regex call(R"re(\bevent\s*\([^;"{}]*Level::[a-z]+\s*,\s*"([a-z0-9_]+)")re");
    const std::regex heading(R"re((?:^|\n)###\s+`?([a-z0-9_]+)`?[ \t]*(?=\n|$))re");
    const auto code = in_code(call);
    EXPECT_FALSE(code.empty());
    expect_same(code, in_page("docs/operator/events.md", heading), "docs/operator/events.md");
}

TEST(Catalogue, MetricsPageListsTheFamiliesOfTheCode) {
    const std::regex literal(R"re("(twinsite_(?:gslb|slb|monitor|switchover)_[a-z0-9_]+)")re");
    const std::regex row(
        R"re((?:^|\n)\|\s*`(twinsite_(?:gslb|slb|monitor|switchover)_[a-z0-9_]+)`)re"
    );
    const auto code = in_code(literal);
    EXPECT_FALSE(code.empty());
    expect_same(code, in_page("docs/operator/metrics.md", row), "docs/operator/metrics.md");
}

}  // namespace
}  // namespace twinsite::architecture
