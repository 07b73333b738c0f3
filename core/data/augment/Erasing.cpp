// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/Erasing.h"

#include <array>
#include <cmath>
#include <optional>

#include "core/base/Random.h"

namespace headlight {
namespace {

struct ErasedBox {
  int top, left, height, width;
};

/// Ten tries for a box smaller than the image either way, as in timm.
std::optional<ErasedBox> drawnBox(RandomStream& draw, int height, int width, double minArea,
                                  double maxArea, double minRatio) {
  const double bound = -std::log(minRatio);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = draw.uniform(minArea, maxArea) * height * width;
    const double ratio = std::exp(draw.uniform(-bound, bound));
    const auto h = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const auto w = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (h >= height || w >= width) continue;
    const auto top = static_cast<int>(draw.below(height - h + 1));
    const auto left = static_cast<int>(draw.below(width - w + 1));
    return ErasedBox{top, left, h, w};
  }
  return std::nullopt;
}

void overwrite(std::span<float> planes, int height, int width, const ErasedBox& box,
               ErasingMode mode, RandomStream& draw) {
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const double color = mode == ErasingMode::Color ? draw.normal() : 0;
    for (int y = box.top; y < box.top + box.height; ++y) {
      float* row = planes.data() + (channel * height + y) * width;
      for (int x = box.left; x < box.left + box.width; ++x)
        row[x] = static_cast<float>(mode == ErasingMode::Pixel ? draw.normal() : color);
    }
  }
}

}  // namespace

void eraseBoxes(std::span<float> planes, int height, int width, const ErasingOptions& options,
                std::uint64_t key) {
  RandomStream draw(key);
  if (!(draw.uniform() < options.probability)) return;
  const std::int64_t count = 1 + draw.below(options.count);
  const auto share = static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i)
    if (const auto box = drawnBox(draw, height, width, options.minArea / share,
                                  options.maxArea / share, options.minRatio))
      overwrite(planes, height, width, *box, options.mode, draw);
}

}  // namespace headlight
