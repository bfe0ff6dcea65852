// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinsite::cli::output {

enum class Align : std::uint8_t { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
};

/// Rows in aligned columns for people. Cells are ASCII text; an empty cell is shown as "-".
class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// Missing cells at the end are empty. More cells than columns is a bug.
    void add(std::vector<std::string> cells);
    bool empty() const { return rows_.empty(); }
    /// A line of titles (none when all titles are empty), then the rows, each ended by '\n'.
    std::string text() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace twinsite::cli::output
