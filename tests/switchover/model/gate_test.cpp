// SPDX-License-Identifier: Apache-2.0
#include "switchover/model/gate.hpp"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::switchover::model {
namespace {

std::string read(const std::string& path) {
    std::ifstream in(std::string(SOURCE_ROOT) + "/" + path);
    EXPECT_TRUE(in.good()) << path;
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::set<std::string> all(const std::string& text, const std::regex& pattern) {
    std::set<std::string> out;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
         at != std::sregex_iterator();
         ++at)
        out.insert((*at)[1]);
    return out;
}

TEST(Gate, PageExplainsEveryCodeAndNoOther) {
    const auto page =
        all(read("docs/operator/gates.md"), std::regex(R"((?:^|\n)### ([a-z0-9-]+)\n)"));
    std::set<std::string> codes;
    for (const auto code : gate_codes()) codes.emplace(code);
    EXPECT_EQ(page, codes);
}

TEST(Gate, ListHasEveryConstantOnce) {
    const auto constants =
        all(read("switchover/model/gate.hpp"),
            std::regex(R"(constexpr std::string_view k[A-Za-z]+ = "([a-z0-9-]+)\")"));
    std::set<std::string> codes;
    for (const auto code : gate_codes()) EXPECT_TRUE(codes.emplace(code).second) << code;
    EXPECT_EQ(constants, codes);
}

}  // namespace
}  // namespace twinsite::switchover::model
