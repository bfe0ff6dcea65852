// SPDX-License-Identifier: Apache-2.0
#include "base/config/cursor.hpp"

#include <gtest/gtest.h>

namespace twinsite::base::config {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> shown(const Document& document) {
    std::vector<std::string> out;
    for (const auto& finding : document.findings()) out.push_back(to_string(finding));
    return out;
}

TEST(Cursor, ReadsScalarsOfEveryKind) {
    auto document = Document::parse(
        "name: east\nport: 53\nlimit: 2.5\non: true\nidle: 10s\nnet: 10.1.0.0/16\nip: ::1\n",
        "x.yaml"
    );
    auto root = document.root();
    EXPECT_EQ(root.required<std::string>("name"), "east");
    EXPECT_EQ(root.required<std::uint16_t>("port"), 53);
    EXPECT_EQ(root.required<double>("limit"), 2.5);
    EXPECT_TRUE(root.required<bool>("on"));
    EXPECT_EQ(root.required<std::chrono::milliseconds>("idle"), 10s);
    EXPECT_EQ(root.required<text::IpPrefix>("net"), text::parse_prefix("10.1.0.0/16"));
    EXPECT_EQ(root.required<text::IpAddress>("ip"), text::parse_ip("::1"));
    root.finish();
    EXPECT_TRUE(document.findings().empty());
}

TEST(Cursor, EveryFindingNamesFileLineColumnAndKey) {
    auto document = Document::parse(
        "listen:\n  - {address: 10.0.0.1, port: 70000}\n  - {adress: 10.0.0.2}\nidle: 10\n",
        "x.yaml"
    );
    auto root = document.root();
    for (auto& item : root.child("listen").items()) {
        item.required<text::IpAddress>("address");
        item.optional<std::uint16_t>("port", 53);
        item.finish();
    }
    root.optional("idle", std::chrono::milliseconds(1s));
    root.finish();
    EXPECT_EQ(
        shown(document),
        (std::vector<std::string>{
            "x.yaml:2:31: $.listen[0].port: must be a whole number from 0 to 65535, not '70000'",
            "x.yaml:3:5: $.listen[1]: key 'address' is missing",
            "x.yaml:3:6: $.listen[1]: unknown key 'adress'; did you mean 'address'?",
            "x.yaml:4:7: $.idle: must be a duration with its unit, for example 500ms, 10s, 5m, not "
            "'10'",
        })
    );
}

TEST(Cursor, RangesAreInclusiveAndReported) {
    auto document = Document::parse("a: 512\nb: 511\nc: 2h\n", "x.yaml");
    auto root = document.root();
    EXPECT_EQ(root.in_range<std::uint16_t>("a", 512, 4096, 1232), 512);
    EXPECT_EQ(root.in_range<std::uint16_t>("b", 512, 4096, 1232), 1232);
    EXPECT_EQ(root.in_range<std::chrono::milliseconds>("c", 1s, 1h, 5s), 5s);
    EXPECT_EQ(
        shown(document),
        (std::vector<std::string>{
            "x.yaml:2:4: $.b: must be between 512 and 4096, not 511",
            "x.yaml:3:4: $.c: must be between 1s and 1h, not 2h",
        })
    );
}

TEST(Cursor, KeyGivenTwiceIsAFinding) {
    auto document = Document::parse("a: 1\na: 2\n", "x.yaml");
    auto root = document.root();
    root.optional("a", 0);
    root.finish();
    EXPECT_EQ(shown(document), std::vector<std::string>{"x.yaml:2:1: $: key 'a' is given twice"});
}

TEST(Cursor, WrongShapeIsToldOnceAndReadsAsEmpty) {
    auto document = Document::parse("listen: 5\nnode: [1]\n", "x.yaml");
    auto root = document.root();
    EXPECT_TRUE(root.child("listen").items().empty());
    EXPECT_EQ(root.required<std::string>("node"), "");
    EXPECT_EQ(
        shown(document),
        (std::vector<std::string>{
            "x.yaml:1:9: $.listen: must be a list, not '5'",
            "x.yaml:2:7: $.node: must be a text, not a list",
        })
    );
}

TEST(Cursor, ChildOfSomethingMissingStaysSilent) {
    auto document = Document::parse("a: 1\n", "x.yaml");
    auto root = document.root();
    auto missing = root.child("server");
    missing.required<std::string>("name");
    missing.finish();
    EXPECT_EQ(shown(document), std::vector<std::string>{"x.yaml:1:1: $: key 'server' is missing"});
}

TEST(Cursor, EmptyValueIsPointedAtByItsKey) {
    auto document = Document::parse("a: 1\nnode:\n", "x.yaml");
    auto root = document.root();
    root.required<std::string>("node");
    EXPECT_EQ(
        shown(document), std::vector<std::string>{"x.yaml:2:1: $.node: must be a text, not nothing"}
    );
}

TEST(Cursor, OneOfSuggestsTheWords) {
    auto document = Document::parse("all_down: opne\n", "x.yaml");
    auto root = document.root();
    EXPECT_EQ(root.one_of("all_down", {"open", "closed"}, 0), 0u);
    EXPECT_EQ(
        shown(document),
        std::vector<std::string>{"x.yaml:1:11: $.all_down: must be one of open, closed, not 'opne'"}
    );
}

TEST(Cursor, AskedKeysAreCollectedWithoutIndexes) {
    auto document = Document::parse("listen:\n  - {port: 1}\n  - {port: 2}\n", "x.yaml");
    auto root = document.root();
    for (auto& item : root.child("listen").items()) item.required<int>("port");
    root.find("absent");
    EXPECT_EQ(document.asked(), (std::set<std::string>{"$.listen", "$.listen[].port", "$.absent"}));
}

TEST(Document, BrokenYamlAndMissingFilesAreFindings) {
    EXPECT_EQ(Document::parse("a: [1\nb: 2", "x.yaml").findings().size(), 1u);
    EXPECT_EQ(Document::parse("a: [1\nb: 2", "x.yaml").findings()[0].line, 2);
    EXPECT_EQ(
        shown(Document::load("/nonexistent/x.yaml")),
        std::vector<std::string>{"/nonexistent/x.yaml: cannot be read: No such file or directory"}
    );
    EXPECT_EQ(
        shown(Document::load("/tmp")),
        std::vector<std::string>{"/tmp: cannot be read: Is a directory"}
    );
    EXPECT_EQ(
        shown(Document::load("/dev/null")),
        std::vector<std::string>{"/dev/null:1:1: $: must be a map of settings, not nothing"}
    );
    EXPECT_EQ(
        shown(Document::parse("just text", "x.yaml")),
        std::vector<std::string>{"x.yaml:1:1: $: must be a map of settings, not 'just text'"}
    );
    EXPECT_EQ(Document::parse("", "x.yaml").findings().size(), 1u);
}

TEST(Cursor, EntriesKeepTheOrderOfTheFile) {
    auto document = Document::parse("m:\n  z: 1\n  a: 2\n", "x.yaml");
    auto map = document.root().child("m");
    std::vector<std::string> keys;
    for (auto& [key, at] : map.entries()) keys.push_back(key + "=" + at.value<std::string>());
    map.finish();
    EXPECT_EQ(keys, (std::vector<std::string>{"z=1", "a=2"}));
    EXPECT_TRUE(document.findings().empty());
}

}  // namespace
}  // namespace twinsite::base::config
