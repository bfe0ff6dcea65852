// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_group_text.hpp"

#include <gtest/gtest.h>

namespace twinsite::cli {
namespace {

TEST(GslbGroupText, PeersShowStateVersionAndWhatMustNotBeOverlooked) {
    const auto text = peers_text(R"({"configured":true,
        "intent":{"epoch":2,"seq":3,"hash":"0123456789abcdef","author":"gslb-east"},
        "peers":[{"name":"gslb-west","site":"west","text":"behind 2","connected":true,"protocol":2,
          "round_trip_us":1234,"program":"0.1.0","intent":{"epoch":2,"seq":1},"answers_differ":3,
          "differing_policies":["a.example","b.example"],"answers_differ_with_equal_inputs":1,
          "problem":""}],
        "forks":[{"epoch":1,"seq":9,"hash":"ffffffffffffffff","author":"gslb-west","why":"a cut"}],
        "refused":null})");
    EXPECT_EQ(
        text,
        "intent 2.3 (0123456789ab) by gslb-east\n"
        "\n"
        "peer       site  state     intent  link       round trip  program\n"
        "gslb-west  west  behind 2  2.1     version 2      1.2 ms  0.1.0\n"
        "\n"
        "answers differ for 3 policies from gslb-west: a.example, b.example\n"
        "ALARM: for 1 policy gslb-west answers in another way though it has the same intent and "
        "state\n"
        "FORK: 1.9 (ffffffffffff) by gslb-west: a cut\n"
    );
}

TEST(GslbGroupText, AGslbWithoutAGroupSaysSo) {
    EXPECT_NE(peers_text(R"({"configured":false})").find("in no group"), std::string::npos);
}

TEST(GslbGroupText, SimulateShowsEveryClassAndWhatChanges) {
    const auto text = simulate_text(R"json({"answers":[
        {"owner":"ocs.example.net","type":"A","classes":[[],["east"]],"targets":["ocs-west"],
         "records":["192.0.2.2"],"drawn":false},
        {"owner":"all.example.net","type":"A","classes":[],"targets":[],"records":[],
         "drawn":false}],
        "changes":[{"owner":"ocs.example.net","type":"A","before":"ocs-east (192.0.2.1)",
         "after":"ocs-west (192.0.2.2)"}]})json");
    EXPECT_NE(text.find("others | east"), std::string::npos) << text;
    EXPECT_NE(text.find("everyone"), std::string::npos);
    EXPECT_NE(text.find("no record"), std::string::npos);
    EXPECT_NE(
        text.find("changes against now:\nocs.example.net A\n  - ocs-east (192.0.2.1)\n"),
        std::string::npos
    );
    EXPECT_NE(
        simulate_text(R"({"answers":[],"changes":[]})").find("nothing would change"),
        std::string::npos
    );
}

TEST(GslbGroupText, ADifferenceListsFilesThenAnswers) {
    EXPECT_EQ(
        difference_text(R"({"difference":{"files":[{"path":"a.zone","what":"changed",
            "lines":["-old","+new"],"left_out":4}],"answers":[],"answers_changed":0}})"),
        "changed a.zone\n"
        "  -old\n"
        "  +new\n"
        "  (4 more lines)\n"
        "\n"
        "no answer changes with the health of now\n"
    );
    EXPECT_EQ(difference_text(R"({"difference":{"files":[],"answers":[]}})"), "no file changes\n");
}

TEST(GslbGroupText, VersionsComeNewestFirst) {
    const auto text = versions_text(R"({"in_force":{"operator":"ann","reason":"new zone"},
        "known":[{"epoch":1,"seq":1,"hash":"aa","author":"g","kept":false},
                 {"epoch":1,"seq":2,"hash":"bb","author":"g","kept":true}],
        "forks":[],"refused":null})");
    EXPECT_LT(text.find("1.2"), text.find("1.1"));
    EXPECT_NE(text.find("in force"), std::string::npos);
    EXPECT_NE(text.find("not kept any more"), std::string::npos);
    EXPECT_NE(text.find("ann: new zone"), std::string::npos);
}

TEST(GslbGroupText, HealthAndZonesAreTables) {
    EXPECT_EQ(
        zones_text(R"({"zones":[{"name":"example.net.","serial":7,"records":12}]})"),
        "zone          serial  records\n"
        "example.net.       7       12\n"
    );
    const auto text = health_text(R"({"services":[{"name":"ocs","targets":[
        {"name":"e","site":"east","state":"down","checks":[{"name":"port","endpoint":"192.0.2.1:1",
         "state":"down","age_ms":9,"last_error":"refused"}]},
        {"name":"w","site":"west","state":"up","checks":[]}]}]})");
    EXPECT_NE(text.find("192.0.2.1:1"), std::string::npos);
    EXPECT_NE(text.find("refused"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::cli
