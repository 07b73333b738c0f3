// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/LostRegion.h"

#include <algorithm>
#include <numeric>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/workbench/objects/PatchProducts.h"

namespace headlight {
namespace {

/// Other patches that each patch is connected with.
std::vector<int> patchDegrees(const PatchProducts& products) {
  std::vector<int> degrees(static_cast<std::size_t>(products.patches()), 0);
  for (int p = 0; p < products.patches(); ++p)
    for (int q = 0; q < products.patches(); ++q)
      if (p != q && products.at(p, q) > 0) ++degrees[static_cast<std::size_t>(p)];
  return degrees;
}

std::vector<int> byRisingDegree(const PatchProducts& products) {
  const std::vector<int> degrees = patchDegrees(products);
  std::vector<int> order(degrees.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return degrees[static_cast<std::size_t>(a)] < degrees[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Those of the first `most` of `order` that are connected with its first, itself among them.
std::vector<int> expandedSeed(const PatchProducts& products, const std::vector<int>& order,
                              int most) {
  std::vector<int> seeds;
  for (std::size_t i = 0; i < order.size() && i < static_cast<std::size_t>(most); ++i)
    if (products.at(order.front(), order[i]) > 0) seeds.push_back(order[i]);
  return seeds;
}

std::vector<double> summedProducts(const PatchProducts& products, const std::vector<int>& seeds) {
  std::vector<double> sums(static_cast<std::size_t>(products.patches()), 0);
  for (const int seed : seeds)
    for (int q = 0; q < products.patches(); ++q)
      sums[static_cast<std::size_t>(q)] += products.at(seed, q);
  return sums;
}

}  // namespace

PatchRegion lostRegion(const PatchFeatures& features, int seeds) {
  requireComparable(features);
  const PatchProducts products(features, /*cosines=*/false);
  const std::vector<int> order = byRisingDegree(products);
  const std::vector<int> joined = expandedSeed(products, order, seeds);
  if (joined.empty())
    throw Failure({ErrorCode::NotFound,
                   tr("the patch that resembles fewest others has features of 0, so LOST finds no "
                      "object; choose another layer or feature"),
                   "features"});
  std::vector<double> scores = summedProducts(products, joined);
  std::vector<char> mask;
  for (const double score : scores)
    mask.push_back(score > 0 ? 1 : 0);
  return regionAround(order.front(), std::move(mask), std::move(scores), features.rows,
                      features.cols);
}

}  // namespace headlight
