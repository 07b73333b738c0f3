// SPDX-License-Identifier: GPL-3.0-or-later

// The cheapest pairs beside all there are.

#include "core/training/segmentation/CheapestPairs.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "core/base/Result.h"
#include "tests/training/segmentation/NaiveSegments.h"

namespace headlight {
namespace {

double sumOf(const std::vector<std::vector<double>>& costs, const std::vector<int>& columns) {
  double sum = 0;
  for (std::size_t row = 0; row < costs.size(); ++row)
    if (columns[row] >= 0) sum += costs[row][static_cast<std::size_t>(columns[row])];
  return sum;
}

std::vector<double> flat(const std::vector<std::vector<double>>& costs) {
  std::vector<double> all;
  for (const auto& row : costs)
    all.insert(all.end(), row.begin(), row.end());
  return all;
}

void expectPairs(const std::vector<int>& found, int rows, int columns) {
  std::set<int> taken;
  for (const int column : found) {
    EXPECT_LT(column, columns);
    EXPECT_TRUE(column < 0 || taken.insert(column).second);
  }
  EXPECT_EQ(static_cast<int>(taken.size()), std::min(rows, columns));
}

/// Real costs, where one assignment is the best, and small whole ones, where many are.
TEST(CheapestPairs, AreThoseOfBruteForce) {
  std::mt19937 random(7);
  for (int rows = 1; rows <= 6; ++rows)
    for (int columns = 1; columns <= 6; ++columns)
      for (int turn = 0; turn < 30; ++turn) {
        std::vector<std::vector<double>> costs(static_cast<std::size_t>(rows));
        for (auto& row : costs)
          for (int column = 0; column < columns; ++column)
            row.push_back(turn % 2 == 0 ? std::normal_distribution<double>(0, 3)(random)
                                        : double(random() % 4));
        const auto found = cheapestPairs(flat(costs), rows, columns);
        const auto wanted = naive::cheapest(costs, columns);
        expectPairs(found, rows, columns);
        EXPECT_NEAR(sumOf(costs, found), sumOf(costs, wanted), 1e-12) << rows << " " << columns;
        EXPECT_TRUE(turn % 2 != 0 || found == wanted) << rows << " × " << columns;
      }
}

TEST(CheapestPairs, OfManyCannotBeImprovedByExchangingTwo) {
  constexpr int kRows = 60, kColumns = 100;
  std::mt19937 random(1);
  std::vector<std::vector<double>> costs(kRows, std::vector<double>(kColumns));
  for (auto& row : costs)
    for (double& value : row)
      value = std::uniform_real_distribution<double>(-1, 1)(random);
  const auto found = cheapestPairs(flat(costs), kRows, kColumns);
  expectPairs(found, kRows, kColumns);
  const auto costOf = [&](int row, int of) {
    return costs[std::size_t(row)][std::size_t(found[std::size_t(of)])];
  };
  for (int a = 0; a < kRows; ++a)
    for (int b = 0; b < a; ++b)
      EXPECT_LE(costOf(a, a) + costOf(b, b), costOf(a, b) + costOf(b, a) + 1e-12);
}

TEST(CheapestPairs, AvoidCostsThatAreNoNumbers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cheapestPairs(std::vector<double>{none, 5, 1, none}, 2, 2), (std::vector<int>{1, 0}));
  expectPairs(cheapestPairs(std::vector<double>(6, none), 2, 3), 2, 3);
}

TEST(CheapestPairs, OfNothingAreNone) {
  EXPECT_TRUE(cheapestPairs({}, 0, 5).empty());
  EXPECT_EQ(cheapestPairs({}, 2, 0), (std::vector<int>{-1, -1}));
  EXPECT_THROW(cheapestPairs(std::vector<double>(5), 2, 3), Failure);
}

}  // namespace
}  // namespace headlight
