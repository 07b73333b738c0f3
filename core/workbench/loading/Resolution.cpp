// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Resolution.h"

#include <cstdio>

#include "core/base/FreeMemory.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

ModelConfig sized(ModelConfig config, int height, int width) {
  config.imageSize = height;
  config.imageWidth = width == height ? 0 : width;
  return config;
}

/// Every layer as large as the first: those of later stages are smaller.
std::int64_t mapBytesOf(const ModelConfig& config) {
  const std::int64_t tokens = config.grid().tokens();
  std::int64_t heads = 0;
  for (const int inLayer : makeMaskShape(config).heads)
    heads += inLayer;
  return config.staged() ? 0 : heads * tokens * tokens * static_cast<std::int64_t>(sizeof(float));
}

std::string scaledText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

std::string mapsText(std::int64_t bytes) {
  constexpr std::int64_t kFew = 10'000'000;
  return bytes < kFew ? scaledText(static_cast<double>(bytes) / 1e6) + " MB" : bytesText(bytes);
}

}  // namespace

Result<ResolutionCost> resolutionCost(const ModelConfig& config, int height, int width) {
  return guarded("image size", [&] {
    const ModelConfig asked = sized(config, height, width);
    return ResolutionCost{asked.grid(), modelCost(asked).macs, mapBytesOf(asked)};
  });
}

std::string resolutionText(const ModelConfig& config, const ResolutionCost& cost) {
  const double own = static_cast<double>(modelCost(config).macs) / 1e9;
  std::string text = std::to_string(cost.grid.rows) + " × " + std::to_string(cost.grid.cols) +
                     " patches, " + scaledText(static_cast<double>(cost.macs) / 1e9) +
                     " G multiply-accumulates (" + scaledText(own) + " at " +
                     std::to_string(config.imageHeightPixels()) + " × " +
                     std::to_string(config.imageWidthPixels()) + ")";
  if (cost.mapBytes > 0) text += ", all maps " + mapsText(cost.mapBytes);
  return text;
}

}  // namespace headlight
