// SPDX-License-Identifier: GPL-3.0-or-later

// Drawing.h: PNG, which says how large it is on paper.

#include <cmath>

#include "core/imaging/codecs/PngChunks.h"
#include "core/imaging/drawing/Drawing.h"

namespace headlight {
namespace {

constexpr double kInchesPerMetre = 1 / 0.0254, kUnitsInAnInch = 96;

/// Pixels a metre, both ways.
std::string physicalChunk(double dpi) {
  const auto density = static_cast<std::uint32_t>(std::lround(dpi * kInchesPerMetre));
  std::string data;
  for (int side = 0; side < 2; ++side)
    for (const int shift : {24, 16, 8, 0})
      data += static_cast<char>(density >> shift & 0xff);
  data += '\x01';
  std::string chunk;
  appendPngChunk(chunk, "pHYs", data);
  return chunk;
}

}  // namespace

Result<std::string> renderPng(const Drawing& drawing, double dpi,
                              const std::vector<std::pair<std::string, std::string>>& text) {
  auto png = encodePng(renderPixels(drawing, dpi / kUnitsInAnInch), text);
  if (!png) return png;
  const auto header = pngChunkAt(*png, kPngSignature.size());
  if (header) png->insert(header->end, physicalChunk(dpi));
  return png;
}

}  // namespace headlight
