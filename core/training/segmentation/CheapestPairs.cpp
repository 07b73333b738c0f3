// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segmentation/CheapestPairs.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/Result.h"

namespace headlight {
namespace {

constexpr double kNoCost = 1e12;  // more than any sum of costs that are numbers

/// Of at most as many rows as columns. Rows join one after the other; each time the shortest path
/// of reduced costs from the new row to a free column is followed and its pairs are exchanged.
/// Place 0 stands for "none": rows and columns count from 1.
class PairSearch {
 public:
  /// `costs` [rows, columns], or with `turned` [columns, rows].
  PairSearch(std::span<const double> costs, int rows, int columns, bool turned)
      : m_costs(costs),
        m_rows(static_cast<std::size_t>(rows)),
        m_columns(static_cast<std::size_t>(columns)),
        m_turned(turned),
        m_rowPotential(m_rows + 1, 0.0),
        m_columnPotential(m_columns + 1, 0.0),
        m_rowOf(m_columns + 1, 0),
        m_before(m_columns + 1, 0) {}

  /// The row (from 1) of each column (from 1); 0: none.
  const std::vector<std::size_t>& search() {
    for (std::size_t row = 1; row <= m_rows; ++row)
      exchangePairs(freeColumnFor(row));
    return m_rowOf;
  }

 private:
  double cost(std::size_t row, std::size_t column) const {
    const std::size_t place =
        m_turned ? (column - 1) * m_rows + (row - 1) : (row - 1) * m_columns + (column - 1);
    return std::isfinite(m_costs[place]) ? m_costs[place] : kNoCost;
  }

  /// Dijkstra's search; m_before then leads back from the column to place 0, which holds the row.
  std::size_t freeColumnFor(std::size_t row) {
    m_rowOf[0] = row;
    std::vector<double> least(m_columns + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> seen(m_columns + 1, false);
    std::size_t column = 0;
    while (m_rowOf[column] != 0) {
      seen[column] = true;
      column = nearestAfter(column, seen, least);
    }
    return column;
  }

  std::size_t nearestAfter(std::size_t from, const std::vector<bool>& seen,
                           std::vector<double>& least) {
    const std::size_t row = m_rowOf[from];
    std::size_t nearest = 0;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t column = 1; column <= m_columns; ++column) {
      if (seen[column]) continue;
      const double reduced = cost(row, column) - m_rowPotential[row] - m_columnPotential[column];
      if (reduced < least[column]) least[column] = reduced, m_before[column] = from;
      if (least[column] < distance) distance = least[column], nearest = column;
    }
    move(distance, seen, least);
    return nearest;
  }

  void move(double distance, const std::vector<bool>& seen, std::vector<double>& least) {
    for (std::size_t column = 0; column <= m_columns; ++column) {
      if (!seen[column]) {
        least[column] -= distance;
        continue;
      }
      m_rowPotential[m_rowOf[column]] += distance;
      m_columnPotential[column] -= distance;
    }
  }

  void exchangePairs(std::size_t column) {
    while (column != 0) {
      const std::size_t before = m_before[column];
      m_rowOf[column] = m_rowOf[before];
      column = before;
    }
  }

  std::span<const double> m_costs;
  std::size_t m_rows, m_columns;
  bool m_turned;
  std::vector<double> m_rowPotential, m_columnPotential;
  std::vector<std::size_t> m_rowOf, m_before;
};

}  // namespace

std::vector<int> cheapestPairs(std::span<const double> costs, int rows, int columns) {
  if (rows < 0 || columns < 0 ||
      costs.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
    throw Failure({ErrorCode::InvalidArgument, "the costs have another size", "cheapestPairs"});
  const bool turned = rows > columns;
  std::vector<int> columnOf(static_cast<std::size_t>(rows), -1);
  PairSearch search(costs, turned ? columns : rows, turned ? rows : columns, turned);
  const std::vector<std::size_t>& rowOf = search.search();
  for (std::size_t place = 1; place < rowOf.size(); ++place) {
    if (rowOf[place] == 0) continue;
    const std::size_t row = turned ? place : rowOf[place], column = turned ? rowOf[place] : place;
    columnOf[row - 1] = static_cast<int>(column - 1);
  }
  return columnOf;
}

}  // namespace headlight
