// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/RelativeResize.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr std::int64_t kClassRows = 3;
constexpr std::int64_t kMostOffsets = 8191;  ///< along a side: of 4096 patches

double geometricSum(double ratio, std::int64_t terms) {
  return (1 - std::pow(ratio, static_cast<double>(terms))) / (1 - ratio);
}

/// The ratio by which steps grow so that `from / 2` of them reach `to / 2`; found as timm does.
double stepRatio(std::int64_t from, std::int64_t to) {
  const std::int64_t half = to / 2;
  double left = 1.01, right = 1.5, ratio = right;
  while (right - left > 1e-6) {
    ratio = (left + right) / 2;
    (geometricSum(ratio, from / 2) > static_cast<double>(half) ? right : left) = ratio;
  }
  return ratio;
}

/// Where the offsets of the file lie among those of the model: symmetric about 0, rising.
std::vector<double> stretched(std::int64_t from, std::int64_t to) {
  const double ratio = stepRatio(from, to);
  std::vector<double> places{0};
  double place = 1, step = ratio;
  for (std::int64_t i = 0; i < from / 2; ++i, place += step, step *= ratio) {
    places.push_back(place);
    places.insert(places.begin(), -place);
  }
  return places;
}

/// [to, from]: each offset of the model as a share of the two of the file around it; beyond the
/// outermost, that one.
at::Tensor sharesAlong(std::int64_t from, std::int64_t to) {
  const std::vector<double> places = stretched(from, to);
  at::Tensor shares = at::zeros({to, from}, at::kDouble);
  auto rows = shares.accessor<double, 2>();
  const std::int64_t half = to / 2;
  for (std::int64_t i = 0; i < to; ++i) {
    const double wanted =
        std::clamp<double>(static_cast<double>(i - half), places.front(), places.back());
    std::int64_t right = 1;
    while (right + 1 < from && places[right] < wanted)
      ++right;
    const double share = (wanted - places[right - 1]) / (places[right] - places[right - 1]);
    rows[i][right - 1] = 1 - share;
    rows[i][right] = share;
  }
  return shares;
}

}  // namespace

bool isRelativeTable(const std::string& name) {
  return name.ends_with("relative_position_bias_table");
}

std::optional<ResizedPositions> resizeRelativeTable(const at::Tensor& file, const at::Tensor& model,
                                                    const PositionLayout& layout) {
  const std::int64_t down = 2 * layout.rows - 1, right = 2 * layout.cols - 1;
  if (file.dim() != 2 || model.dim() != 2 || file.size(1) != model.size(1)) return std::nullopt;
  if (down > kMostOffsets || right > kMostOffsets || model.size(0) != down * right + kClassRows ||
      !at::isFloatingType(file.scalar_type()))
    return std::nullopt;
  const std::int64_t offsets = file.size(0) - kClassRows, heads = file.size(1);
  const auto side = static_cast<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(std::max<std::int64_t>(0, offsets)))));
  if (side < 3 || side % 2 == 0 || side > kMostOffsets || side * side != offsets)
    return std::nullopt;

  const at::Tensor table =
      file.slice(0, 0, offsets).to(at::kDouble).t().reshape({heads, side, side});
  const at::Tensor resized =
      at::matmul(at::matmul(sharesAlong(side, down), table), sharesAlong(side, right).t());
  ResizedPositions result;
  result.value =
      at::cat({resized.reshape({heads, down * right}).t(), file.slice(0, offsets).to(at::kDouble)})
          .to(model.scalar_type())
          .contiguous();
  result.how = "linear, in growing steps";
  const auto text = [](std::int64_t sideOf) { return std::to_string((sideOf + 1) / 2); };
  result.change = text(side) + "×" + text(side) + " → " + text(down) + "×" + text(right);
  return result;
}

}  // namespace headlight
