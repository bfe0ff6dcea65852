// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gslb/config.hpp"

namespace twinsite::gslb {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kGood = R"(node: gslb-east-1
site: east
listen: [127.0.1.10:5300]
control: {socket: run/east.sock}
state: {directory: state}
sites: [east, west]
zones:
  - {name: example.net, file: example.net.zone}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: [127.0.1.20]}
steered:
  - name: ocs.example.net
    service: ocs
    filters: [override, up, failover]
)";

class ConfigGroupTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ =
            fs::temp_directory_path() / ("gslb_config_group_test." + std::to_string(::getpid()));
        fs::create_directories(folder_);
        std::ofstream(folder_ / "example.net.zone") << "\n";
    }
    void TearDown() override { fs::remove_all(folder_); }

    base::config::Document parse(const std::string& text) {
        auto document = base::config::Document::parse(text, folder_ / "gslb.yaml");
        config_ = parse_config(document.root());
        return document;
    }
    /// All findings, a line each, without the folder.
    std::string findings_of(const std::string& text) {
        std::string out;
        const auto document = parse(text);
        for (const auto& finding : document.findings()) {
            auto line = to_string(finding);
            const auto folder = folder_.string() + "/";
            for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder))
                line.erase(at, folder.size());
            out += line + "\n";
        }
        return out;
    }

    fs::path folder_;
    Config config_;
};

TEST_F(ConfigGroupTest, ReadsTheGroup) {
    for (const char* file : {"c.crt", "c.key", "ca.crt"}) std::ofstream(folder_ / file) << "x";
    const std::string text = std::string(kGood) +
                             "group:\n"
                             "  listen: 127.0.1.10:7700\n"
                             "  tls: {certificate: c.crt, key: c.key, ca: ca.crt}\n"
                             "  peers: [{name: gslb-west-1, address: 127.0.2.10:7700}]\n"
                             "  heartbeat: 200ms\n";
    ASSERT_EQ(findings_of(text), "");
    ASSERT_TRUE(config_.group);
    EXPECT_EQ(config_.group->peers.at(0).name, "gslb-west-1");
    EXPECT_EQ(config_.group->silent_after, milliseconds(600));
    EXPECT_EQ(config_.group->digest, seconds(5));
    EXPECT_TRUE(config_.group->signing.key.empty());
}

TEST_F(ConfigGroupTest, AGroupWithoutOthersOrWithItselfIsAFinding) {
    for (const char* file : {"c.crt", "c.key", "ca.crt"}) std::ofstream(folder_ / file) << "x";
    const std::string head = std::string(kGood) +
                             "group:\n"
                             "  listen: 127.0.1.10:7700\n"
                             "  tls: {certificate: c.crt, key: c.key, ca: ca.crt}\n";
    EXPECT_NE(findings_of(head + "  peers: []\n").find("between 1 and 15"), std::string::npos);
    EXPECT_NE(
        findings_of(head + "  peers: [{name: gslb-east-1, address: 127.0.2.10:7700}]\n")
            .find("this node itself"),
        std::string::npos
    );
}

TEST_F(ConfigGroupTest, WhatIsSharedComesFromTheIntentAlone) {
    const std::string shared = std::string(kGood).substr(std::string(kGood).find("sites:"));
    auto own = std::string(kGood);
    own.replace(own.find("sites: [east, west]"), 19, "sites: [nowhere]");
    const auto node = base::config::Document::parse(own, folder_ / "gslb.yaml");
    const auto intent = base::config::Document::parse(shared, folder_ / "intent.yaml");
    const auto config = parse_config(node.root(), nullptr, intent.root());
    EXPECT_TRUE(node.findings().empty());
    EXPECT_TRUE(intent.findings().empty());
    EXPECT_EQ(config.steering.sites, (std::vector<std::string>{"east", "west"}));
    EXPECT_EQ(config.node, "gslb-east-1");

    const auto wrong =
        base::config::Document::parse(shared + "workers: 3\n", folder_ / "intent.yaml");
    parse_config(base::config::Document::parse(own, "x").root(), nullptr, wrong.root());
    EXPECT_EQ(wrong.findings().size(), 1U);
}

}  // namespace
}  // namespace twinsite::gslb
