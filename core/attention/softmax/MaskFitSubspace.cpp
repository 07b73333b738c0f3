// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/MaskFitSubspace.h"

#include <cmath>

namespace headlight {
namespace {

double innerProduct(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

/// Column `column` of a matrix [N, columns].
std::vector<double> columnOf(const std::vector<double>& matrix, int columns, int column) {
  std::vector<double> values(matrix.size() / columns);
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = matrix[n * columns + column];
  return values;
}

void addColumns(std::vector<std::vector<double>>& all, const std::vector<double>& matrix,
                int columns) {
  for (int c = 0; c < columns; ++c)
    all.push_back(columnOf(matrix, columns, c));
}

/// The columns of the target that are not zero.
std::vector<std::vector<double>> columnsOf(const MaskFitTarget& target,
                                           const std::vector<int>& which) {
  std::vector<int> place(target.rows, -1);
  for (std::size_t c = 0; c < which.size(); ++c)
    place[which[c]] = static_cast<int>(c);
  std::vector<std::vector<double>> columns(which.size(), std::vector<double>(target.rows, 0.0));
  for (int n = 0; n < target.rows; ++n)
    for (std::size_t e = target.starts[n]; e < target.starts[n + 1]; ++e)
      columns[place[target.entries[e].column]][n] += target.entries[e].value;
  return columns;
}

std::vector<std::vector<double>> unitVectors(const std::vector<int>& which, int length) {
  std::vector<std::vector<double>> vectors(which.size(), std::vector<double>(length, 0.0));
  for (std::size_t c = 0; c < which.size(); ++c)
    vectors[c][which[c]] = 1;
  return vectors;
}

/// The part above the diagonal, with it, of the first `count` columns of `upper` [rows, rows].
MaskFitTarget targetIn(const std::vector<double>& upper, int rows, int count, double squares) {
  MaskFitTarget target;
  target.rows = rows;
  target.squares = squares;
  target.starts.push_back(0);
  for (int i = 0; i < rows; ++i) {
    for (int j = i; j < count; ++j)
      target.entries.push_back({j, upper[static_cast<std::size_t>(i) * rows + j]});
    target.starts.push_back(target.entries.size());
  }
  return target;
}

/// Columns `first` on of `upper` [rows, rows].
std::vector<double> columnsFrom(const std::vector<double>& upper, int rows, int first) {
  std::vector<double> result;
  for (int i = 0; i < rows; ++i)
    for (int j = first; j < rows; ++j)
      result.push_back(upper[static_cast<std::size_t>(i) * rows + j]);
  return result;
}

}  // namespace

bool MaskFitSubspace::pays(const MaskFitTarget& target, int columns) {
  return 4 * (target.columns().size() + columns) <= static_cast<std::size_t>(target.rows);
}

MaskFitSubspace::MaskFitSubspace(const MaskFitTarget& target, int columns,
                                 const std::vector<double>& a, const std::vector<double>& b)
    : m_columns(columns) {
  const std::vector<int> which = target.columns();
  const int count = static_cast<int>(which.size()), rows = count + columns;
  auto ofA = columnsOf(target, which), ofB = unitVectors(which, target.rows);
  addColumns(ofA, a, columns);
  addColumns(ofB, b, columns);
  std::vector<double> upperA, upperB;
  m_u = orthonormalBasis(std::move(ofA), upperA);
  m_v = orthonormalBasis(std::move(ofB), upperB);
  m_target = targetIn(upperA, rows, count, target.squares);
  m_a = columnsFrom(upperA, rows, count);
  m_b = columnsFrom(upperB, rows, count);
}

/// Gram and Schmidt's, each vector twice, which makes it as exact as it can be. `upper` [V, V]
/// becomes what the vectors are in the basis. Plain loops: the same on any number of threads.
MaskFitSubspace::Basis MaskFitSubspace::orthonormalBasis(std::vector<std::vector<double>> given,
                                                         std::vector<double>& upper) const {
  constexpr double kDependent = 1e-12;
  const std::size_t count = given.size();
  upper.assign(count * count, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<double>& vector = given[j];
    const double before = std::sqrt(innerProduct(vector, vector));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        const double share = innerProduct(given[i], vector);
        upper[i * count + j] += share;
        for (std::size_t n = 0; n < vector.size(); ++n)
          vector[n] -= share * given[i][n];
      }
    const double left = std::sqrt(innerProduct(vector, vector));
    const bool depends = left <= kDependent * before;
    if (!depends) upper[j * count + j] = left;
    for (double& value : vector)
      value = depends ? 0.0 : value / left;
  }
  return {std::move(given)};
}

std::vector<double> MaskFitSubspace::Basis::times(const std::vector<double>& x, int columns) const {
  std::vector<double> result(vectors.front().size() * columns, 0.0);
  for (std::size_t i = 0; i < vectors.size(); ++i)
    for (std::size_t n = 0; n < vectors[i].size(); ++n)
      for (int c = 0; c < columns; ++c)
        result[n * columns + c] += vectors[i][n] * x[i * columns + c];
  return result;
}

}  // namespace headlight
