// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/RelativeFigure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/files/Files.h"
#include "core/imaging/drawing/Drawing.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight {
namespace {

// Units of 1/96 inch.
constexpr double kTile = 84, kTileGap = 10, kRowCaption = 14, kLeftLabels = 70, kTopLabels = 70,
                 kMargin = 14, kLeastWidth = 460, kLine = 15, kTileText = 9, kTextSize = 11,
                 kTitleSize = 13, kTick = 3;
constexpr double kPixelsAUnit = 2;  ///< of a tile; as writeDrawing() makes a PNG
/// For a line, what is filled: faces other than Helvetica are wider.
constexpr double kWordWidth = 0.82;
constexpr DrawnColor kTickColor{120, 120, 120};

std::string relativeNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// What a number is drawn as: of a ratio its logarithm, and none where there is none.
float drawnValue(const RelativeMaps& maps, float value) {
  if (maps.scale != RelativeScale::AboutOne) return value;
  return value > 0 ? std::log2(value) : std::numeric_limits<float>::quiet_NaN();
}

std::vector<float> drawnHead(const RelativeMaps& maps, int layer, int head) {
  std::vector<float> values = maps.layers[static_cast<std::size_t>(layer)].ofHead(head);
  for (float& value : values)
    value = drawnValue(maps, value);
  return values;
}

ValueRange rangeOfDrawn(const RelativeMaps& maps, const std::vector<float>& drawn) {
  const ValueRange range = valueRange(drawn, maps.scale != RelativeScale::FromZero);
  return maps.scale == RelativeScale::FromZero ? ValueRange{0, range.high} : range;
}

ValueRange rangeOfHead(const RelativeMaps& maps, int layer, int head) {
  return rangeOfDrawn(maps, drawnHead(maps, layer, head));
}

ValueRange rangeOfAll(const RelativeMaps& maps) {
  std::vector<float> all;
  for (int l = 0; l < static_cast<int>(maps.layers.size()); ++l)
    for (int h = 0; h < maps.layers[static_cast<std::size_t>(l)].heads; ++h) {
      const std::vector<float> one = drawnHead(maps, l, h);
      all.insert(all.end(), one.begin(), one.end());
    }
  return rangeOfDrawn(maps, all);
}

/// An end of a range as the numbers themselves have it.
std::string endText(const RelativeMaps& maps, double end) {
  return relativeNumber(maps.scale == RelativeScale::AboutOne ? std::exp2(end) : end);
}

std::vector<std::string> wrapped(const std::string& text, double width) {
  std::vector<std::string> lines{""};
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::string longer = lines.back();
    if (!longer.empty()) longer.append(" ");
    longer.append(word);
    if (lines.back().empty() || textWidth(longer, kTextSize) <= width)
      lines.back() = longer;
    else
      lines.push_back(word);
    begin = end + 1;
  }
  return lines;
}

void addRelativeText(Drawing& drawing, double x, double y, const std::string& text, double size,
                     DrawnText::Anchor anchor = DrawnText::Anchor::Left) {
  drawing.texts.push_back({x, y, text, size, anchor, 0});
}

/// Where the offsets of 0 are: outside the tile, so that they cover nothing.
void addTicks(Drawing& drawing, double x, double y, double wide, double tall) {
  const double across = x + wide / 2, down = y + tall / 2;
  drawing.lines.push_back({{{across, y - kTick}, {across, y}}, kTickColor, 1});
  drawing.lines.push_back({{{x - kTick, down}, {x, down}}, kTickColor, 1});
}

int mostHeadsOf(const RelativeMaps& maps) {
  int most = 0;
  for (const RelativeLayer& layer : maps.layers)
    most = std::max(most, layer.heads);
  return most;
}

/// A layer's tile keeps the proportions of its grid.
void addRelativeTile(Drawing& drawing, const RelativeMaps& maps, int layer, int head,
                     const RelativeStyle& style) {
  const RelativeLayer& one = maps.layers[static_cast<std::size_t>(layer)];
  const double longer = std::max(one.rows(), one.cols());
  const double wide = std::round(kTile * one.cols() / longer);
  const double tall = std::round(kTile * one.rows() / longer);
  const double x = kLeftLabels + head * (kTile + kTileGap);
  const double y = kTopLabels + layer * (kTile + kTileGap + kRowCaption);
  const auto pixels = [](double length) { return static_cast<int>(length * kPixelsAUnit); };
  drawing.images.push_back(
      {x, y, wide, tall, relativeTile(maps, layer, head, style, pixels(wide), pixels(tall))});
  addTicks(drawing, x, y, wide, tall);
  if (style.oneScale) return;
  const std::string ends = relativeEndsText(maps, layer, head);
  addRelativeText(drawing, x + kTile / 2, y + kTile + 11, ends, kTileText,
                  DrawnText::Anchor::Middle);
}

Drawing relativeDrawing(const RelativeMaps& maps, const RelativeStyle& style) {
  const int layers = static_cast<int>(maps.layers.size()), heads = mostHeadsOf(maps);
  Drawing drawing;
  drawing.title = maps.title;
  drawing.width = std::max(kLeastWidth, kLeftLabels + heads * (kTile + kTileGap) + kMargin);
  addRelativeText(drawing, kMargin, 22, maps.title, kTitleSize);
  addRelativeText(drawing, kMargin, 38, style.subject, kTextSize);
  for (int h = 0; h < heads; ++h)
    addRelativeText(drawing, kLeftLabels + h * (kTile + kTileGap) + kTile / 2, kTopLabels - 8,
                    "head " + std::to_string(h), kTextSize, DrawnText::Anchor::Middle);
  double y = kTopLabels;
  for (int l = 0; l < layers; ++l, y += kTile + kTileGap + kRowCaption) {
    addRelativeText(drawing, kLeftLabels - 10, y + kTile / 2 + 4, "layer " + std::to_string(l),
                    kTextSize, DrawnText::Anchor::Right);
    for (int h = 0; h < maps.layers[static_cast<std::size_t>(l)].heads; ++h)
      addRelativeTile(drawing, maps, l, h, style);
  }
  for (const std::string& line :
       wrapped(relativeCaption(maps, style), kWordWidth * (drawing.width - 2 * kMargin))) {
    addRelativeText(drawing, kMargin, y + 8, line, kTextSize);
    y += kLine;
  }
  drawing.height = y + kMargin;
  return drawing;
}

}  // namespace

ColorMap relativeColors(const RelativeMaps& maps, const RelativeStyle& style) {
  return maps.scale == RelativeScale::FromZero ? style.colorMap : ColorMap::Diverging;
}

ValueRange relativeRange(const RelativeMaps& maps, int layer, int head,
                         const RelativeStyle& style) {
  return style.oneScale ? rangeOfAll(maps) : rangeOfHead(maps, layer, head);
}

Image relativeTile(const RelativeMaps& maps, int layer, int head, const RelativeStyle& style,
                   int width, int height) {
  const RelativeLayer& one = maps.layers[static_cast<std::size_t>(layer)];
  ValueRange range = relativeRange(maps, layer, head, style);
  if (!(range.high > range.low))
    range.high = range.low + 1;  // a head of zeros is dark, not between
  return heatmap(drawnHead(maps, layer, head), one.rows(), one.cols(), range,
                 relativeColors(maps, style), width, height, /*smooth=*/false);
}

std::string relativeEndsText(const RelativeMaps& maps, int layer, int head) {
  const std::vector<float> values = drawnHead(maps, layer, head);
  if (std::none_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
    return "no number";
  const ValueRange range = rangeOfHead(maps, layer, head);
  if (maps.scale == RelativeScale::FromZero) return endText(maps, range.high);
  return endText(maps, range.low) + " to " + endText(maps, range.high);
}

std::string relativeScaleText(const RelativeMaps& maps, const RelativeStyle& style) {
  if (style.oneScale) {
    const ValueRange all = rangeOfAll(maps);
    return "colors from " + endText(maps, all.low) + " to " + endText(maps, all.high) +
           " for all heads";
  }
  switch (maps.scale) {
    case RelativeScale::AboutZero:
      return "colors centered at 0, up to each head's largest magnitude";
    case RelativeScale::AboutOne:
      return "colors centered at 1, up to each head's largest ratio in either direction";
    case RelativeScale::FromZero:
      break;
  }
  return "colors from 0 to each head's maximum";
}

std::string relativeCaption(const RelativeMaps& maps, const RelativeStyle& style) {
  std::string text =
      "Row and column offset of the key patch from the query patch, 0 in the center (ticks); " +
      fedText(maps.fed) + "; " + relativeScaleText(maps, style) + ".";
  if (!maps.meaning.empty()) text.append(" ").append(maps.meaning);
  return text;
}

Result<void> checkRelativeFigureName(const std::filesystem::path& path) {
  return checkFigureName(path);
}

Result<void> writeRelativeFigure(const std::filesystem::path& path, const RelativeMaps& maps,
                                 const RelativeStyle& style) {
  if (auto known = checkRelativeFigureName(path); !known) return known;
  if (path.extension() == ".csv") return writeFileAtomically(path, relativeCsv(maps));
  return guarded(path.string(),
                 [&] { return valueOrThrow(writeDrawing(path, relativeDrawing(maps, style))); });
}

}  // namespace headlight
