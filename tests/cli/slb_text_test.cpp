// SPDX-License-Identifier: Apache-2.0
#include "cli/slb_text.hpp"

#include <gtest/gtest.h>

namespace twinsite::cli {
namespace {

TEST(SlbText, BladesAreRowsWithTheirResultCodes) {
    EXPECT_EQ(
        blades_text(R"({"blades":[{"name":"b1","address":"127.0.1.31:3868","state":"active",
            "link":"open","pending":3,"sessions":20,"requests":900,"answers":897,"resent":1,
            "late":0,"result_codes":{"2001":890,"5002":7}}]})"),
        "BLADE  ADDRESS          STATE   LINK  PENDING  SESSIONS  REQUESTS  ANSWERS  RESENT  LATE  "
        "RESULT CODES\n"
        "b1     127.0.1.31:3868  active  open        3        20       900      897       1     0  "
        "2001:890 5002:7\n"
    );
    EXPECT_EQ(blades_text(R"({"blades":[]})"), "no blades\n");
}

TEST(SlbText, StatusSpellsTheUptime) {
    EXPECT_EQ(
        slb_status_text(R"({"node":"slb-east","uptime_s":3720})"), "node  slb-east\nup    1h 02m\n"
    );
}

}  // namespace
}  // namespace twinsite::cli
