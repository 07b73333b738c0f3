// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/MapImages.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Translation.h"

namespace headlight::cli {

std::string rangeText(const ValueRange& range) {
  char text[64];
  std::snprintf(text, sizeof text, tr("%.3g to %.3g"), range.low, range.high);
  return text;
}

std::string withNote(const std::string& text, const DrawnMap& drawn) {
  return drawn.note.empty() ? text : text + ", " + drawn.note;
}

Image scaledView(const InferenceResult& inference, int width) {
  const int height = std::max(1, width * inference.view.height / std::max(1, inference.view.width));
  return resize(inference.view, width, height, Interpolation::Bicubic);
}

Image imageUnder(const Image& ground, const std::vector<float>& values, int rows, int cols,
                 const DrawnMap& drawn, const ImageStyle& style, bool smooth) {
  if (drawn.style == MapStyle::Overlay)
    return overlay(ground, values, rows, cols, drawn.range, drawn.colorMap, style.opacity, smooth);
  return headlightImage(ground, values, rows, cols, drawn.range,
                        {drawn.style == MapStyle::Warm, style.dim}, smooth);
}

}  // namespace headlight::cli
