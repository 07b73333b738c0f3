// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/SimilarityImage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/workbench/session/Images.h"

namespace headlight::cli {
namespace {

constexpr int kCellWidth = 72, kCellHeight = 30;
constexpr std::array<std::uint8_t, 3> kPaper{255, 255, 255}, kNotCompared{225, 225, 225};

Image plainCell(const std::array<std::uint8_t, 3>& color) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < kCellWidth * kCellHeight; ++i)
    pixels->insert(pixels->end(), color.begin(), color.end());
  return {kCellWidth, kCellHeight, pixels};
}

FigureTile cellOf(double value, const FigureGrid& figure) {
  if (std::isnan(value)) return {plainCell(kNotCompared), ""};
  const double share = (value - figure.range.low) / (figure.range.high - figure.range.low);
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", value);
  return {plainCell(colorOf(figure.colorMap, share)), number};
}

}  // namespace

Image similarityImage(const LayerSimilarity& similarity, int head, ColorMap colors,
                      const std::string& title) {
  FigureGrid figure;
  figure.title = title;
  figure.columns = similarity.layers;
  figure.colorBar = true;
  figure.range = similarity.isSigned ? ValueRange{-1, 1} : ValueRange{0, 1};
  figure.colorMap = similarity.isSigned ? ColorMap::Diverging : colors;
  figure.footnote = tr("cosine of maps, mean over tokens");
  figure.rowLabels.push_back("layer");
  for (int layer = 0; layer < similarity.layers; ++layer)
    figure.tiles.push_back({plainCell(kPaper), std::to_string(layer)});
  const auto& values = similarity.of(head);
  for (std::size_t i = 0; i < values.size(); ++i)
    figure.tiles.push_back(cellOf(values[i], figure));
  for (int layer = 0; layer < similarity.layers; ++layer)
    figure.rowLabels.push_back(tr("layer ") + std::to_string(layer));
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    figure.footnote += tr("; gray: on different grids, not compared");
  return composeFigure(figure);
}

}  // namespace headlight::cli
