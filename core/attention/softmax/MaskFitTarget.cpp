// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/MaskFitTarget.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

double tap(const LearnedMaskFitOptions& o, int rowsAway, int colsAway) {
  if (o.filter == MaskFilter::Convolution) return 1.0;
  return std::exp(-(rowsAway * rowsAway + colsAway * colsAway) / (2 * o.sigma * o.sigma));
}

/// Calls `take(n, column, value)` for every entry of the target inside the window.
template <typename Take>
void forEachTap(const LearnedMaskFitOptions& o, Take take) {
  const int patches = o.grid.patches(), reach = (o.window - 1) / 2;
  for (int n = 0; n < patches; ++n)
    for (int i = -reach; i <= reach; ++i)
      for (int j = -reach; j <= reach; ++j) {
        const int row = n / o.grid.cols + i, col = n % o.grid.cols + j;
        if (row < 0 || row >= o.grid.rows || col < 0 || col >= o.grid.cols) continue;
        const int m = row * o.grid.cols + col;
        take(n, o.rolled ? (m - n + patches) % patches : m, tap(o, i, j));
      }
}

/// σ₁² ≤ (largest sum of a row) · (largest sum of a column), and no other is larger.
double boundBySums(const MaskFitTarget& target, int rank) {
  std::vector<double> columns(target.rows, 0.0);
  double highest = 0;
  for (int n = 0; n < target.rows; ++n) {
    double sum = 0;
    for (std::size_t e = target.starts[n]; e < target.starts[n + 1]; ++e) {
      sum += std::abs(target.entries[e].value);
      columns[target.entries[e].column] += std::abs(target.entries[e].value);
    }
    highest = std::max(highest, sum);
  }
  const double most = rank * highest * *std::max_element(columns.begin(), columns.end());
  return std::sqrt(std::max(0.0, 1 - most / target.squares));
}

/// RᵀR of the columns that are not zero.
at::Tensor gramOf(const MaskFitTarget& target, const std::vector<int>& columns) {
  std::vector<int> place(target.rows, -1);
  for (std::size_t c = 0; c < columns.size(); ++c)
    place[columns[c]] = static_cast<int>(c);
  const auto count = static_cast<std::int64_t>(columns.size());
  at::Tensor gram = at::zeros({count, count}, at::kDouble);
  double* const values = gram.data_ptr<double>();
  for (int n = 0; n < target.rows; ++n)
    for (std::size_t e = target.starts[n]; e < target.starts[n + 1]; ++e)
      for (std::size_t f = target.starts[n]; f < target.starts[n + 1]; ++f)
        values[place[target.entries[e].column] * count + place[target.entries[f].column]] +=
            target.entries[e].value * target.entries[f].value;
  return gram;
}

}  // namespace

std::vector<int> MaskFitTarget::columns() const {
  std::vector<int> all;
  for (const Entry& entry : entries)
    all.push_back(entry.column);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

MaskFitTarget maskFitTarget(const LearnedMaskFitOptions& o) {
  MaskFitTarget target;
  target.rows = o.grid.patches();
  target.starts.assign(target.rows + 1, 0);
  forEachTap(o, [&](int n, int column, double value) {
    target.entries.push_back({column, value});
    target.starts[n + 1] = target.entries.size();
    target.squares += value * value;
  });
  for (int n = 0; n < target.rows; ++n)
    std::sort(target.entries.begin() + target.starts[n],
              target.entries.begin() + target.starts[n + 1],
              [](const auto& a, const auto& b) { return a.column < b.column; });
  return target;
}

double leastRelativeError(const MaskFitTarget& target, int rank) {
  const std::vector<int> columns = target.columns();
  if (static_cast<int>(columns.size()) <= rank) return 0;
  constexpr std::size_t kMostColumns = 1600;  // eigenvalues of so many take a second or two
  if (columns.size() > kMostColumns) return boundBySums(target, rank);
  const at::Tensor squares = at::linalg_eigvalsh(gramOf(target, columns));  // ascending
  const double left = squares.slice(0, 0, squares.size(0) - rank).sum().item<double>();
  return std::sqrt(std::max(0.0, left) / target.squares);
}

}  // namespace headlight
