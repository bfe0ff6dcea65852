// SPDX-License-Identifier: Apache-2.0
#include "gslb/intent.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinsite::gslb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = R"(node: n
site: east
listen: [127.0.1.10:5300]
control: {socket: x.sock}
state: {directory: state}
sites: [east, west]
networks:
  file: networks.txt
  prefixes: [{prefix: 10.9.0.0/16, sites: [west]}]
zones: [{name: example.net, file: example.net.zone}]
checks:
  - {name: ready, type: http, port: 8440, path: /readyz, interval: 1s}
  - {name: port, type: tcp, port: 3868}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: [127.0.1.20, "2001:db8::1"], checks: [ready, port]}
      - {name: ocs-west, site: west, addresses: [127.0.2.20]}
steered:
  - {name: ocs.example.net, service: ocs}
)";
constexpr const char* kZone = R"(@ 3600 IN SOA ns hostmaster 7 3600 900 1209600 60
@ 3600 IN NS ns
ns 3600 IN A 127.0.1.10
)";
constexpr const char* kNetworks = "10.1.0.0/16 east # near\n10.2.0.0/16 west\n";

class IntentTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("gslb_intent_test." + std::to_string(::getpid()));
        fs::create_directories(folder_);
        write("gslb.yaml", kConfig);
        write("example.net.zone", kZone);
        write("networks.txt", kNetworks);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const char* file, const std::string& text) const {
        std::ofstream(folder_ / file) << text;
    }
    LoadedIntent load() const { return load_intent(folder_ / "gslb.yaml"); }
    /// Findings in lines, without the folder.
    std::string findings() const {
        std::string out;
        for (auto line : load().findings) {
            const auto folder = folder_.string() + "/";
            for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder))
                line.erase(at, folder.size());
            out += line + "\n";
        }
        return out;
    }

    fs::path folder_;
};

TEST_F(IntentTest, GivesEveryRoomItsPart) {
    const auto loaded = load();
    ASSERT_TRUE(loaded.intent) << findings();
    const auto& intent = *loaded.intent;
    EXPECT_EQ(intent.setup.site, "east");
    EXPECT_EQ(intent.setup.index->zones()[0].serial, 7U);
    const auto site_of = [&](const char* client) {
        const auto match = intent.setup.prefixes->find(*base::text::parse_ip(client));
        return intent.setup.prefixes->classes()[match.class_id];
    };
    EXPECT_EQ(site_of("10.2.0.1"), steering::SiteOrder{1});
    EXPECT_EQ(site_of("10.9.0.1"), steering::SiteOrder{1});
    ASSERT_EQ(intent.listen.addresses.size(), 1U);
    EXPECT_EQ(intent.listen.addresses[0].port, 5300);
}

TEST_F(IntentTest, WatchesEachCheckAtEachAddress) {
    const auto loaded = load();
    ASSERT_TRUE(loaded.intent);
    const auto& watches = loaded.intent->watches;
    ASSERT_EQ(watches.size(), 2U);
    EXPECT_EQ(watches[0].id, "ocs/ocs-east");
    ASSERT_EQ(watches[0].items.size(), 4U);
    EXPECT_EQ(watches[0].items[0].name, "ready");
    EXPECT_EQ(to_string(watches[0].items[0].check.question.target), "127.0.1.20:8440");
    EXPECT_EQ(watches[0].items[0].check.question.path, "/readyz");
    EXPECT_EQ(watches[0].items[0].check.timeout, std::chrono::milliseconds(500));
    EXPECT_EQ(to_string(watches[0].items[3].check.question.target), "[2001:db8::1]:3868");
    EXPECT_TRUE(watches[0].items[3].check.question.path.empty());
    EXPECT_TRUE(watches[1].items.empty());
}

TEST_F(IntentTest, NamesTheLineOfAWrongNetwork) {
    write("networks.txt", "10.1.0.0/16 east\n10.2.0.0/16 wset\n");
    const auto text = findings();
    EXPECT_TRUE(text.starts_with("networks.txt:2: ")) << text;
    EXPECT_NE(text.find("wset"), std::string::npos) << text;
}

TEST_F(IntentTest, AFolderInPlaceOfTheNetworksIsAFinding) {
    fs::remove(folder_ / "networks.txt");
    fs::create_directory(folder_ / "networks.txt");
    EXPECT_NE(findings().find("cannot be read: Is a directory"), std::string::npos) << findings();
}

TEST_F(IntentTest, RefusesANetworkInBothPlaces) {
    write("networks.txt", "10.9.0.0/16 east\n");
    EXPECT_EQ(
        findings(),
        "gslb.yaml:8:9: $.networks.file: network 10.9.0.0/16 stands in the file and under "
        "'prefixes'\n"
    );
}

TEST_F(IntentTest, MissingFilesAreFindingsAtTheirKeys) {
    fs::remove(folder_ / "networks.txt");
    fs::remove(folder_ / "example.net.zone");
    EXPECT_EQ(
        findings(),
        "gslb.yaml:10:35: $.zones[0].file: file 'example.net.zone' cannot be read\n"
        "gslb.yaml:8:9: $.networks.file: file 'networks.txt' cannot be read\n"
    );
}

TEST_F(IntentTest, ShowsFindingsOfAllFilesTogether) {
    write("example.net.zone", std::string(kZone) + "www 3600 IN A 999.1.1.1\n");
    write("networks.txt", "nonsense east\n");
    auto config = std::string(kConfig);
    config.replace(config.find("node: n"), 7, "nodes: n");
    write("gslb.yaml", config);
    const auto text = findings();
    EXPECT_NE(text.find("gslb.yaml:1:1: $: unknown key 'nodes'"), std::string::npos) << text;
    EXPECT_NE(text.find("networks.txt:1: "), std::string::npos) << text;
    EXPECT_NE(text.find("example.net.zone:4: "), std::string::npos) << text;
    EXPECT_FALSE(load().intent);
}

TEST_F(IntentTest, RefusesASteeredNameThatTheZoneDelegates) {
    write("example.net.zone", std::string(kZone) + "ocs 3600 IN NS ns.example.org.\n");
    const auto text = findings();
    EXPECT_TRUE(text.starts_with("gslb.yaml: ")) << text;
    EXPECT_NE(text.find("ocs.example.net"), std::string::npos) << text;
}

TEST_F(IntentTest, AFileThatIsMissingOrNoYamlIsAFinding) {
    write("gslb.yaml", "a: [b\n");
    EXPECT_TRUE(findings().starts_with("gslb.yaml:2:")) << findings();
    fs::remove(folder_ / "gslb.yaml");
    EXPECT_EQ(findings(), "gslb.yaml: cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace twinsite::gslb
