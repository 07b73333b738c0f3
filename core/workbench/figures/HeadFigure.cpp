// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/HeadFigure.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/files/Files.h"
#include "core/imaging/drawing/CurvePlot.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight {
namespace {

/// More heads than colors share one.
constexpr std::size_t kMostColoredHeads = 5;

std::string metricCell(double value) {
  if (!std::isfinite(value)) return "";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

double deviationOf(const HeadValues& values, std::size_t layer, std::size_t head) {
  return values.deviations.empty() ? NAN : values.deviations[layer][head];
}

std::size_t mostHeads(const HeadValues& values) {
  std::size_t most = 0;
  for (const auto& layer : values.values)
    most = std::max(most, layer.size());
  return most;
}

void addPoint(PlottedCurve& curve, std::size_t layer, double value, double deviation) {
  if (!std::isfinite(value)) return;
  curve.keys.push_back(static_cast<double>(layer));
  curve.values.push_back(value);
  curve.deviations.push_back(deviation);
}

/// The heads from `first` on, of which there are `count`.
PlottedCurve dotsOf(const HeadValues& values, const std::string& name, std::size_t first,
                    std::size_t count) {
  PlottedCurve dots{name, {}, {}};
  dots.joined = false;
  for (std::size_t l = 0; l < values.values.size(); ++l)
    for (std::size_t h = first; h < std::min(first + count, values.values[l].size()); ++h)
      addPoint(dots, l, values.values[l][h], deviationOf(values, l, h));
  return dots;
}

PlottedCurve meanOf(const HeadValues& values) {
  PlottedCurve mean{"mean of heads", {}, {}};
  for (std::size_t l = 0; l < values.values.size(); ++l) {
    double sum = 0;
    int count = 0;
    for (const double value : values.values[l])
      if (std::isfinite(value)) sum += value, ++count;
    addPoint(mean, l, count > 0 ? sum / count : NAN, NAN);
  }
  return mean;
}

PlottedCurve chanceOf(const HeadValues& values) {
  PlottedCurve chance{"chance", {}, {}};
  for (std::size_t l = 0; l < values.chance.size(); ++l)
    addPoint(chance, l, values.chance[l], NAN);
  return chance;
}

Drawing drawingOf(const HeadValues& values) {
  const HeadMeasureInfo& info = findInfo(values.measure);
  const std::size_t heads = mostHeads(values);
  std::vector<PlottedCurve> curves;
  if (heads <= kMostColoredHeads)
    for (std::size_t h = 0; h < heads; ++h)
      curves.push_back(dotsOf(values, "head " + std::to_string(h), h, 1));
  else
    curves.push_back(dotsOf(values, "heads", 0, heads));
  for (PlottedCurve& curve : std::vector{meanOf(values), chanceOf(values)})
    if (!curve.keys.empty() && (heads > 1 || curve.name == "chance"))
      curves.push_back(std::move(curve));
  CurveTitles titles{info.title + (info.unit.empty() ? "" : ", " + info.unit), "layer"};
  if (values.images > 1)
    titles.axis += "; " + std::to_string(values.images) +
                   (values.deviations.empty() ? " images" : " images, error bars: deviation");
  titles.points = true;
  for (std::size_t l = 0; l < values.values.size(); ++l)
    titles.keyLabels.push_back(std::to_string(l));
  return drawCurves(curves, titles);
}

}  // namespace

std::string headValuesCsv(const HeadValues& values) {
  std::string text = "layer,head,value,deviation,chance\n";
  for (std::size_t l = 0; l < values.values.size(); ++l)
    for (std::size_t h = 0; h < values.values[l].size(); ++h) {
      text.append(std::to_string(l)).append(",").append(std::to_string(h));
      for (const double number : {values.values[l][h], deviationOf(values, l, h), values.chance[l]})
        text.append(",").append(metricCell(number));
      text.append("\n");
    }
  return text;
}

Result<void> checkHeadFigureName(const std::filesystem::path& path) {
  return checkFigureName(path);
}

Result<void> writeHeadFigure(const std::filesystem::path& path, const HeadValues& values) {
  if (auto known = checkHeadFigureName(path); !known) return known;
  if (path.extension() == ".csv") return writeFileAtomically(path, headValuesCsv(values));
  return writeDrawing(path, drawingOf(values));
}

Result<Image> headFigure(const HeadValues& values, double scale) {
  return guarded("figure", [&] { return renderPixels(drawingOf(values), scale); });
}

}  // namespace headlight
