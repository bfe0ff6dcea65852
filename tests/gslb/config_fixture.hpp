// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gslb/config.hpp"

/// A good configuration in a folder of its own, for tests that change it.
namespace twinsite::gslb {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr const char* kGood = R"(node: gslb-east-1
site: east
listen:
  - 127.0.1.10:5300
  - "[::1]:5300"
workers: 2
udp_payload_bytes: 1400
tcp: {idle: 20s, max_connections: 100}
control: {socket: run/east.sock}
status: {listen: 127.0.1.10:8440}
state: {directory: state}
sites: [east, west]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [east]}
    - {prefix: 10.2.0.0/16, sites: [west, east]}
zones:
  - {name: example.net, file: example.net.zone}
checks:
  - {name: ready, type: http, port: 8440, path: /readyz, host: slb, expect_status: [200, 204], interval: 1s, timeout: 400ms, up_threshold: 2, ok_threshold: 3, down_threshold: 4}
  - {name: port, type: tcp, port: 3868}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: [127.0.1.20, "2001:db8::1"], weight: 3, checks: [ready, port]}
      - {name: ocs-west, site: west, addresses: [127.0.2.20]}
steered:
  - name: ocs.example.net
    service: ocs
    ttl: {min: 5s, max: 30s}
    all_down: closed
    filters: [override, up, nearest: {default: [west, east]}, failover: {order: [west]}]
)";

class ConfigTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("gslb_config_test." + std::to_string(::getpid()));
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

}  // namespace twinsite::gslb
