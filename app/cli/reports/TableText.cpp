// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/TableText.h"

#include <algorithm>
#include <vector>

namespace headlight::cli {
namespace {

using TableRow = std::vector<BenchCell>;

/// Aligned as the column's cells are.
TableRow titleRow(const BenchTable& table) {
  TableRow titles;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    titles.push_back({table.columns[c], !table.rows.empty() && table.rows.front()[c].isNumber});
  return titles;
}

std::vector<std::size_t> columnWidths(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].text.size());
  return widths;
}

std::string tableLine(const TableRow& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string room(widths[c] - row[c].text.size(), ' ');
    line += (c == 0 ? "" : "  ") + (row[c].isNumber ? room + row[c].text : row[c].text + room);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string tableText(const BenchTable& table) {
  std::vector<TableRow> rows{titleRow(table)};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  const std::vector<std::size_t> widths = columnWidths(rows);
  std::string text;
  for (const TableRow& row : rows)
    text += (text.empty() ? "" : "\n") + tableLine(row, widths);
  return text;
}

}  // namespace headlight::cli
