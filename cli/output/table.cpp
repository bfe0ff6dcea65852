// SPDX-License-Identifier: Apache-2.0
#include "cli/output/table.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"

namespace twinsite::cli::output {
namespace {

constexpr std::size_t kGap = 2;  // blanks between two columns

std::string line_of(
    const std::vector<std::string>& cells,
    const std::vector<Column>& columns,
    const std::vector<std::size_t>& widths
) {
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string padding(widths[i] - cells[i].size(), ' ');
        if (i > 0) out.append(kGap, ' ');
        if (columns[i].align == Align::right) out += padding;
        out += cells[i];
        if (columns[i].align == Align::left) out += padding;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + '\n';
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
    BASE_CHECK(cells.size() <= columns_.size());
    cells.resize(columns_.size());
    for (auto& cell : cells)
        if (cell.empty()) cell = "-";
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (const auto& column : columns_) {
        titles.push_back(column.title);
        widths.push_back(column.title.size());
    }
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());

    std::string out;
    const auto untitled = std::all_of(titles.begin(), titles.end(), [](const std::string& title) {
        return title.empty();
    });
    if (!untitled) out += line_of(titles, columns_, widths);
    for (const auto& row : rows_) out += line_of(row, columns_, widths);
    return out;
}

}  // namespace twinsite::cli::output
