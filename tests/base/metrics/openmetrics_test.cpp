// SPDX-License-Identifier: Apache-2.0
#include "base/metrics/openmetrics.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace twinsite::base::metrics {
namespace {

TEST(OpenMetrics, WritesFamiliesSamplesAndTheEnd) {
    Writer out;
    out.family("twinsite_queries", Type::counter, "Queries received.");
    out.sample({{"proto", "udp"}}, std::uint64_t{12});
    out.sample({{"proto", "tcp"}, {"rcode", "NOERROR"}}, std::uint64_t{3});
    out.family("twinsite_pending", Type::gauge, "Requests\nwaiting.");
    out.sample(std::uint64_t{0});
    EXPECT_EQ(
        out.finish(),
        "# TYPE twinsite_queries counter\n"
        "# HELP twinsite_queries Queries received.\n"
        "twinsite_queries_total{proto=\"udp\"} 12\n"
        "twinsite_queries_total{proto=\"tcp\",rcode=\"NOERROR\"} 3\n"
        "# TYPE twinsite_pending gauge\n"
        "# HELP twinsite_pending Requests\\nwaiting.\n"
        "twinsite_pending 0\n"
        "# EOF\n"
    );
}

TEST(OpenMetrics, EscapesLabelValuesAndKnowsSpecialNumbers) {
    Writer out;
    out.family("x", Type::gauge, "X.");
    out.sample({{"name", "a\"b\\c\nd"}}, 0.5);
    out.sample({}, std::nan(""));
    out.sample({}, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(
        out.finish(),
        "# TYPE x gauge\n# HELP x X.\nx{name=\"a\\\"b\\\\c\\nd\"} 0.5\nx NaN\nx -Inf\n# EOF\n"
    );
}

}  // namespace
}  // namespace twinsite::base::metrics
