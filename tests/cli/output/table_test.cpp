// SPDX-License-Identifier: Apache-2.0
#include "cli/output/table.hpp"

#include <gtest/gtest.h>

namespace twinsite::cli::output {
namespace {

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
    Table table({{"NAME"}, {"COUNT", Align::right}, {"NOTE"}});
    table.add({"b1", "7", "fine"});
    table.add({"a-longer-name", "12345", ""});
    EXPECT_EQ(
        table.text(),
        "NAME           COUNT  NOTE\n"
        "b1                 7  fine\n"
        "a-longer-name  12345  -\n"
    );
}

TEST(Table, WithoutTitlesThereIsNoTitleLine) {
    Table table({{""}, {""}});
    table.add({"up", "3m 20s"});
    EXPECT_EQ(table.text(), "up  3m 20s\n");
}

TEST(Table, MissingCellsAreShownAsDashes) {
    Table table({{"A"}, {"B"}});
    EXPECT_TRUE(table.empty());
    table.add({"x"});
    EXPECT_FALSE(table.empty());
    EXPECT_EQ(table.text(), "A  B\nx  -\n");
}

TEST(Table, MoreCellsThanColumnsIsABug) {
    Table table({{"A"}});
    EXPECT_DEATH(table.add({"x", "y"}), "cells");
}

}  // namespace
}  // namespace twinsite::cli::output
