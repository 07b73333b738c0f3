// SPDX-License-Identifier: GPL-3.0-or-later

// AngularFigure.h: the network's fit: Fig. 7.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/base/Text.h"
#include "core/base/files/Files.h"
#include "core/imaging/ColorMap.h"
#include "core/workbench/figures/AngularFigure.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight {
namespace {

// As the plots above it (CurvePlot.cpp).
constexpr double kMapWidth = 760, kMapHeight = 300, kMapLeft = 66, kMapTop = 34, kMapRight = 570,
                 kMapBottom = 252;
constexpr double kLearned = 0.1;  ///< of a frequency that is learned: its relative error
constexpr double kDegreesOfFit = 180 / std::numbers::pi;

std::string fitNumber(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

std::vector<double> degreesOf(const AngularFit& fit) {
  std::vector<double> degrees;
  for (const double angle : fit.angles)
    degrees.push_back(angle * kDegreesOfFit);
  return degrees;
}

DrawnColor errorColor(double error) {
  const auto color = colorOf(ColorMap::Viridis, std::clamp(error, 0.0, 1.0));
  return {color[0], color[1], color[2]};
}

/// The lowest frequency at the bottom.
void addCells(Drawing& drawing, const AngularFit& fit) {
  constexpr int kPixelsPerStep = 4, kPixelsPerFrequency = 22;
  const int rows = static_cast<int>(fit.frequencies.size()),
            cols = static_cast<int>(fit.steps.size());
  std::vector<float> values;
  for (int f = rows - 1; f >= 0; --f)
    for (int s = 0; s < cols; ++s)
      values.push_back(
          static_cast<float>(fit.error(static_cast<std::size_t>(f), static_cast<std::size_t>(s))));
  drawing.images.push_back(
      {kMapLeft, kMapTop, kMapRight - kMapLeft, kMapBottom - kMapTop,
       heatmap(values, rows, cols, {0, 1}, ColorMap::Viridis, cols * kPixelsPerStep,
               rows * kPixelsPerFrequency, /*smooth=*/false)});
}

void addMapAxes(Drawing& drawing, const AngularFit& fit) {
  const auto words = [&](double x, double y, const std::string& text, DrawnText::Anchor anchor) {
    drawing.texts.push_back({x, y, text, 11, anchor, 60});
  };
  const double height = (kMapBottom - kMapTop) / static_cast<double>(fit.frequencies.size());
  for (std::size_t f = 0; f < fit.frequencies.size(); ++f)
    words(kMapLeft - 6, kMapBottom - (static_cast<double>(f) + 0.5) * height + 4,
          std::to_string(fit.frequencies[f]), DrawnText::Anchor::Right);
  const double tenfolds = std::log10(std::max(2, fit.steps.back()));
  for (int power = 0; power <= tenfolds; ++power)
    words(kMapLeft + power / tenfolds * (kMapRight - kMapLeft), kMapBottom + 16,
          std::to_string(power), DrawnText::Anchor::Middle);
  words(kMapLeft - 40, kMapTop - 14, "frequency, periods per turn", DrawnText::Anchor::Left);
  words((kMapLeft + kMapRight) / 2, kMapBottom + 34, "log10 of the step",
        DrawnText::Anchor::Middle);
}

void addMapLegend(Drawing& drawing) {
  constexpr int kShades = 5;
  for (int i = 0; i < kShades; ++i) {
    const double error = static_cast<double>(i) / (kShades - 1), y = kMapTop + 14 + 16 * i;
    drawing.lines.push_back(
        {{{kMapRight + 14, y - 4}, {kMapRight + 30, y - 4}}, errorColor(error), 10});
    char text[48];
    std::snprintf(text, sizeof text, "%.2f%s", error, i == kShades - 1 ? " and above" : "");
    drawing.texts.push_back({kMapRight + 40, y, text, 11});
  }
  drawing.texts.push_back({kMapRight + 14, kMapTop - 4, "relative error", 11});
}

Drawing errorMap(const AngularFit& fit) {
  Drawing drawing{kMapWidth, kMapHeight, "relative error by frequency and step", {}, {}};
  addCells(drawing, fit);
  addMapAxes(drawing, fit);
  addMapLegend(drawing);
  return drawing;
}

}  // namespace

AnglePanel fitPanel(const AngularFit& fit) {
  const std::vector<double> degrees = degreesOf(fit);
  const bool residual = fit.options.target == AngularTarget::Residual;
  return {"similarity",
          {{"angular kernel", degrees, fit.kernel},
           {"linear terms", degrees, fit.linear},
           {residual ? "linear terms + network" : "network", degrees, fit.fit}},
          {1, 1, 1}};
}

AnglePanel lossPanel(const AngularFit& fit) {
  AnglePanel panel{"log10 of the squared error", {{"fit", {}, {}}}, {1}};
  for (std::size_t s = 0; s < fit.steps.size(); ++s) {
    panel.curves[0].keys.push_back(fit.steps[s]);
    panel.curves[0].values.push_back(std::log10(std::max(fit.losses[s], 1e-30)));
  }
  return panel;
}

std::string fitText(const AngularFit& fit) {
  std::vector<std::string> learned;
  for (std::size_t f = 0; f < fit.frequencies.size(); ++f)
    if (fit.error(f, fit.steps.size() - 1) < kLearned)
      learned.push_back(std::to_string(fit.frequencies[f]));
  char loss[96];
  std::snprintf(loss, sizeof loss, "mean squared error %.3g after %d steps; ", fit.losses.back(),
                fit.steps.back());
  if (learned.empty()) return std::string(loss) + "no frequency is within 10 % yet";
  return loss + ((learned.size() == 1 ? "frequency " : "frequencies ") + joined(learned)) +
         " of 1 to " + std::to_string(fit.frequencies.back()) + " within 10 %";
}

std::string fitCsv(const AngularFit& fit) {
  std::string csv = "part,line,x,value\n";
  const auto row = [&](const char* part, const std::string& line, double x, double value) {
    csv += std::string(part) + "," + line + "," + fitNumber(x) + "," + fitNumber(value) + "\n";
  };
  const std::vector<double> degrees = degreesOf(fit);
  for (const auto& [line, values] :
       {std::pair("kernel", &fit.kernel), {"linear", &fit.linear}, {"fit", &fit.fit}})
    for (std::size_t i = 0; i < degrees.size(); ++i)
      row("curve", line, degrees[i], (*values)[i]);
  for (std::size_t s = 0; s < fit.steps.size(); ++s)
    row("loss", "fit", fit.steps[s], fit.losses[s]);
  for (std::size_t f = 0; f < fit.frequencies.size(); ++f)
    for (std::size_t s = 0; s < fit.steps.size(); ++s)
      row("error", std::to_string(fit.frequencies[f]), fit.steps[s], fit.error(f, s));
  return csv;
}

Drawing fitDrawing(const AngularFit& fit) {
  const AnglePanel curves = fitPanel(fit);
  AnglePanel losses = lossPanel(fit);
  for (double& step : losses.curves[0].keys)
    step = std::log10(step);
  Drawing drawing = oneBelowTheOther(
      {drawCurves(curves.curves,
                  {.quantity = curves.quantity, .axis = "angle of query and key, degrees"}),
       drawCurves(losses.curves, {.quantity = losses.quantity, .axis = "log10 of the step"}),
       errorMap(fit)});
  drawing.title = "fit of the angular kernel";
  drawing.texts.push_back({66, drawing.height + 2, fitText(fit), 11, DrawnText::Anchor::Left, 60});
  drawing.height += 16;
  return drawing;
}

Result<void> writeFit(const std::filesystem::path& path, const AngularFit& fit) {
  if (auto known = checkFigureName(path); !known) return known;
  if (path.extension() == ".csv") return writeFileAtomically(path, fitCsv(fit));
  return writeDrawing(path, fitDrawing(fit));
}

}  // namespace headlight
