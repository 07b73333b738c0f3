// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// DINO's masks, LOST and TokenCut again, in plain loops: eigenvectors by Jacobi's rotations, regions
// by flooding.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

using NaiveMatrix = std::vector<std::vector<double>>;

inline NaiveMatrix naiveProducts(const PatchFeatures& f, bool cosines) {
  const int n = f.rows * f.cols;
  NaiveMatrix products(n, std::vector<double>(n, 0.0));
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      double dot = 0, first = 0, second = 0;
      for (int i = 0; i < f.width; ++i) {
        dot += f.values[a * f.width + i] * f.values[b * f.width + i];
        first += f.values[a * f.width + i] * f.values[a * f.width + i];
        second += f.values[b * f.width + i] * f.values[b * f.width + i];
      }
      products[a][b] = cosines ? dot / (std::sqrt(first) * std::sqrt(second)) : dot;
    }
  return products;
}

/// Marks spread by sides until nothing changes.
inline std::vector<char> naiveFlood(const std::vector<char>& mask, int rows, int cols, int seed) {
  std::vector<char> found(mask.size(), 0);
  found[seed] = mask[seed];
  for (bool changed = true; changed;) {
    changed = false;
    for (int p = 0; p < rows * cols; ++p)
      for (int q = 0; q < rows * cols; ++q) {
        const int apart = std::abs(p / cols - q / cols) + std::abs(p % cols - q % cols);
        if (apart != 1 || !found[p] || !mask[q] || found[q]) continue;
        found[q] = 1;
        changed = true;
      }
  }
  return found;
}

inline PatchRegion naiveRegion(int seed, const std::vector<char>& mask,
                               const std::vector<double>& scores, int rows, int cols) {
  PatchRegion region;
  region.mask = mask;
  region.scores = scores;
  region.seed = seed;
  region.component = naiveFlood(mask, rows, cols, seed);
  region.box = {rows, cols, 0, 0};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      if (region.component[r * cols + c]) {
        region.box.top = std::min(region.box.top, r);
        region.box.left = std::min(region.box.left, c);
        region.box.bottom = std::max(region.box.bottom, r + 1);
        region.box.right = std::max(region.box.right, c + 1);
      }
  return region;
}

inline PatchRegion naiveLost(const PatchFeatures& f, int most) {
  const NaiveMatrix products = naiveProducts(f, false);
  const int n = f.rows * f.cols;
  std::vector<std::pair<int, int>> degrees;  // with the patch
  for (int p = 0; p < n; ++p) {
    int degree = 0;
    for (int q = 0; q < n; ++q)
      degree += p != q && products[p][q] > 0;
    degrees.emplace_back(degree, p);
  }
  std::sort(degrees.begin(), degrees.end());
  const int seed = degrees[0].second;
  std::vector<double> sum(f.width, 0.0);  // of the features of those that join
  for (int i = 0; i < std::min(n, most); ++i)
    if (const int p = degrees[i].second; products[seed][p] > 0)
      for (int w = 0; w < f.width; ++w)
        sum[w] += f.values[p * f.width + w];
  std::vector<char> mask;
  std::vector<double> scores;
  for (int q = 0; q < n; ++q) {
    double score = 0;
    for (int w = 0; w < f.width; ++w)
      score += f.values[q * f.width + w] * sum[w];
    scores.push_back(score);
    mask.push_back(score > 0);
  }
  return naiveRegion(seed, mask, scores, f.rows, f.cols);
}

/// Eigenvalues on the diagonal of `a`, eigenvectors in the columns of what is returned.
inline NaiveMatrix naiveJacobi(NaiveMatrix& a) {
  const std::size_t n = a.size();
  NaiveMatrix vectors(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i)
    vectors[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::abs(a[p][q]) < 1e-300) continue;
        const double apart = a[q][q] - a[p][p];
        const double angle = apart == 0 ? std::atan(1.0) : 0.5 * std::atan(2 * a[p][q] / apart);
        const double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = vectors[k][p], y = vectors[k][q];
          vectors[k][p] = c * x - s * y;
          vectors[k][q] = s * x + c * y;
        }
      }
  return vectors;
}

/// `gap`: between the second eigenvalue and its neighbors; where it is 0, y is anyone's choice.
inline PatchRegion naiveTokenCut(const PatchFeatures& f, double threshold, double epsilon,
                                 double* gap = nullptr) {
  const NaiveMatrix cosines = naiveProducts(f, true);
  const int n = f.rows * f.cols;
  std::vector<double> degrees(n, 0.0);
  NaiveMatrix edges(n, std::vector<double>(n, 0.0)), laplacian = edges;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      edges[p][q] = cosines[p][q] > threshold ? 1 : epsilon;
      degrees[p] += edges[p][q];
    }
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      laplacian[p][q] =
          ((p == q ? degrees[p] : 0.0) - edges[p][q]) / std::sqrt(degrees[p] * degrees[q]);
  const NaiveMatrix vectors = naiveJacobi(laplacian);
  std::vector<std::pair<double, int>> order;
  for (int i = 0; i < n; ++i)
    order.emplace_back(laplacian[i][i], i);
  std::sort(order.begin(), order.end());
  if (gap)
    *gap = std::min(order[1].first - order[0].first, n > 2 ? order[2].first - order[1].first : 1.0);
  std::vector<double> y;
  for (int p = 0; p < n; ++p)
    y.push_back(vectors[p][order[1].second] / std::sqrt(degrees[p]));
  double most = 0, mean = 0;
  for (const double value : y)
    most = std::max(most, std::abs(value));
  int seed = 0;
  while (std::abs(y[seed]) < most * (1 - 1e-9))
    ++seed;
  const double sign = y[seed] < 0 ? -1 : 1;
  for (double& value : y)
    value *= sign;
  for (const double value : y)
    mean += value / n;
  std::vector<char> mask;
  for (const double value : y)
    mask.push_back(value > mean);
  return naiveRegion(seed, mask, y, f.rows, f.cols);
}

/// As DINO's own program: added up in rising order, what comes after 1 − mass.
inline std::vector<char> naiveMass(const std::vector<double>& weights, double mass) {
  std::vector<std::pair<double, int>> order;
  double whole = 0;
  for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
    order.emplace_back(weights[i], -i);  // of equals the later one comes first
    whole += weights[i];
  }
  std::sort(order.begin(), order.end());
  std::vector<char> mask(weights.size(), 0);
  double sum = 0;
  for (const auto& [weight, place] : order) {
    sum += weight;
    mask[-place] = sum / whole > 1 - mass + 1e-12;
  }
  return mask;
}

}  // namespace headlight
