// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/access.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::wire::contract {
namespace {

Access of(const std::string& role, const char* method, const char* pattern) {
    return control_access("twinsite://east/" + role + "/x", method, pattern);
}

TEST(ControlAccess, OperatorsMayAll) {
    EXPECT_EQ(of("operator", "DELETE", "/api/v1/blades/{name}"), Access::allowed);
    EXPECT_EQ(of("operator", "POST", "/api/v1/reload"), Access::allowed);
}

TEST(ControlAccess, SwitchoverReadsAllAndWritesWhatIsFenced) {
    EXPECT_EQ(of("switchover", "GET", "/api/v1/status"), Access::allowed);
    for (const char* method : {"PUT", "POST", "DELETE"}) {
        EXPECT_EQ(of("switchover", method, "/api/v1/desired"), Access::allowed);
        EXPECT_EQ(of("switchover", method, "/api/v1/release"), Access::allowed);
        EXPECT_EQ(of("switchover", method, "/api/v1/reload"), Access::wrong_role);
    }
}

TEST(ControlAccess, OtherMachinesSeeWhetherWeAreWell) {
    for (const char* role : {"gslb", "slb", "monitor", "agent", "blade"}) {
        for (const char* pattern : {"/healthz", "/readyz", "/metrics"}) {
            EXPECT_EQ(of(role, "GET", pattern), Access::allowed);
            EXPECT_EQ(of(role, "POST", pattern), Access::wrong_role);
        }
        EXPECT_EQ(of(role, "GET", "/api/v1/desired"), Access::wrong_role);
    }
}

TEST(ControlAccess, NobodyElseMayAnything) {
    for (const char* who :
         {"",
          "ann",
          "uid:0",
          "twinsite://east/operator",
          "twinsite://east/root/x",
          "twinsite:///operator/x",
          "twinsite://east/operator/x/y",
          "http://east/operator/x"})
        EXPECT_EQ(control_access(who, "GET", "/healthz"), Access::no_identity) << who;
}

}  // namespace
}  // namespace twinsite::wire::contract
