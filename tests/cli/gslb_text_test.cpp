// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_text.hpp"

#include <gtest/gtest.h>

#include "cli/daemon_text.hpp"

namespace twinsite::cli {
namespace {

TEST(GslbText, ExplainShowsFactsAndTheDaemonsWords) {
    EXPECT_EQ(
        explain_text(R"({"name":"ocs.example.net","type":"A","client":"127.0.0.1",
            "subnet":"10.1.0.0/16","class":{"sites":["east","west"],"prefix_length":16},
            "scope":16,"ttl_s":30,"rcode":"NOERROR","answers":["127.0.1.20"],"snapshot":3,
            "stages":[{"filter":"up","kept":["ocs-east"],"dropped":[],"note":""}],
            "precedence":"health","text":["ocs-west is down","so east answers"]})"),
        "question    ocs.example.net A\n"
        "client      127.0.0.1\n"
        "subnet      10.1.0.0/16\n"
        "class       east, west\n"
        "scope       /16\n"
        "answer      127.0.1.20\n"
        "rcode       NOERROR\n"
        "ttl         30 s\n"
        "decided by  health\n"
        "snapshot    3\n"
        "\n"
        "ocs-west is down\n"
        "so east answers\n"
    );
}

TEST(GslbText, WithoutWordsOfTheDaemonTheStagesAreSpelled) {
    const auto text = explain_text(R"({"name":"ocs.example.net","type":"A","scope":null,
        "stages":[
          {"filter":"up","kept":["ocs-east"],
           "dropped":[{"target":"ocs-west","reason":"checks say down"}],"note":""},
          {"filter":"failover","kept":["ocs-east"],"dropped":[],"note":"site east first"}]})");
    EXPECT_NE(
        text.find("  up: keeps ocs-east; drops ocs-west (checks say down)\n"
                  "  failover: keeps ocs-east; site east first\n"),
        std::string::npos
    ) << text;
    EXPECT_NE(text.find("scope       -\n"), std::string::npos) << text;
}

TEST(GslbText, StatusListsZonesAndTargetsWithTheirChecks) {
    EXPECT_EQ(
        gslb_status_text(R"({"node":"gslb-east-1","site":"east","version":"0.1.0","snapshot":2,
            "uptime_s":61,"zones":[{"name":"example.net","serial":7,"records":12}],
            "services":[{"name":"ocs","targets":[
              {"name":"ocs-east","site":"east","addresses":["127.0.1.20"],"state":"down",
               "forced":null,"checks":[{"name":"slb-ready","state":"down","age_ms":120,
               "last_error":"connection refused"}]}]}]})"),
        "gslb-east-1 at site east, version 0.1.0, up 1m 01s, snapshot 2\n"
        "\n"
        "ZONE         SERIAL  RECORDS\n"
        "example.net       7       12\n"
        "\n"
        "SERVICE  TARGET    SITE  ADDRESSES   HEALTH  FORCED  CHECKS\n"
        "ocs      ocs-east  east  127.0.1.20  down    -       "
        "slb-ready down 120 ms ago (connection refused)\n"
    );
}

TEST(GslbText, StatusBeginsWithWhatMustNotBeOverlooked) {
    EXPECT_EQ(
        gslb_status_text(R"({"node":"g","site":"east","ready":false,"version":"0.1.0",
            "uptime_s":61,"snapshot":2,"overrides":2})"),
        "g at site east, NOT READY, version 0.1.0, up 1m 01s, snapshot 2, 2 overrides in force\n"
        "\n"
        "no services\n"
    );
    EXPECT_EQ(
        gslb_status_text(R"({"node":"g","site":"east","ready":true,"version":"0.1.0",
            "uptime_s":61,"snapshot":2,"overrides":1})"),
        "g at site east, version 0.1.0, up 1m 01s, snapshot 2, 1 override in force\n"
        "\n"
        "no services\n"
    );
    EXPECT_EQ(
        gslb_status_text(R"({"node":"g","site":"east","ready":true,"version":"0.1.0",
            "uptime_s":61,"snapshot":2,"overrides":0})"),
        "g at site east, version 0.1.0, up 1m 01s, snapshot 2\n"
        "\n"
        "no services\n"
    );
}

TEST(GslbText, AnOverrideThatIsNotOnDiskIsWarnedOf) {
    const std::string done = "done; `twinsite gslb override list` shows what is in force\n";
    EXPECT_EQ(override_set_text(R"({"snapshot":4,"kept_on_disk":true})"), done);
    EXPECT_EQ(
        override_set_text(R"({"snapshot":4,"kept_on_disk":false})"),
        done +
            "WARNING: it is in force, but could not be written to disk and will be lost at a "
            "restart (log: state_not_saved)\n"
    );
    EXPECT_EQ(override_cleared_text(R"({"snapshot":4,"kept_on_disk":true})"), done);
    EXPECT_EQ(
        override_cleared_text(R"({"snapshot":4,"kept_on_disk":false})"),
        done +
            "WARNING: it is cleared, but that could not be written to disk: a restart brings "
            "it back (log: state_not_saved)\n"
    );
}

TEST(GslbText, NoOverridesMeansHealthDecides) {
    EXPECT_EQ(overrides_text(R"({"overrides":[]})"), "no overrides: health alone decides\n");
}

TEST(GslbText, AnOverrideShowsWhoAndWhy) {
    const auto text = overrides_text(R"({"overrides":[{"service":"ocs","target":"site:east",
        "state":"down","author":"li","reason":"power works"}]})");
    EXPECT_NE(text.find("ocs      site:east  down   li"), std::string::npos) << text;
    EXPECT_NE(text.find("never    power works"), std::string::npos) << text;
}

TEST(DaemonText, CountersAreShownByTheirPath) {
    EXPECT_EQ(
        counters_text(R"({"udp":{"queries":12},"tcp":{"queries":3}})"),
        "COUNTER      VALUE\n"
        "udp.queries     12\n"
        "tcp.queries      3\n"
    );
    EXPECT_EQ(counters_text("{}"), "no counters\n");
}

TEST(DaemonText, AReloadNamesTheSnapshotInUse) {
    EXPECT_EQ(reload_text(R"({"snapshot":9})"), "reloaded: snapshot 9 is in use\n");
    EXPECT_EQ(reload_text("{}"), "reloaded\n");
}

}  // namespace
}  // namespace twinsite::cli
