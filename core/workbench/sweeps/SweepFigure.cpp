// SPDX-License-Identifier: GPL-3.0-or-later

// Sweep.h: the image of a sweep: a dot a variant, on one axis.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/imaging/drawing/Figure.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "core/workbench/sweeps/SweepTexts.h"

namespace headlight {
namespace {

/// An axis that holds every dot with its deviation, between round numbers: per cent, or bits.
struct Axis {
  double scale = 100;  ///< of a statistic
  double low = 0, high = 100, step = 10;

  int pixel(double value, int width) const {
    return static_cast<int>(std::lround((scale * value - low) / (high - low) * (width - 1)));
  }
};

Axis axisFor(const std::vector<SweepRow>& rows, bool sequences, const SweepReference& reference) {
  const double scale = sequences ? 1 : 100, end = sequences ? 64 : 100;
  const std::vector<double> steps = sequences
                                        ? std::vector{0.001, 0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 10.0}
                                        : std::vector{1.0, 2.0, 5.0, 10.0, 20.0};
  double least = scale * reference.value, most = least;
  for (const SweepRow& row : rows) {
    const double deviation = std::isnan(row.best.deviation) ? 0 : row.best.deviation;
    least = std::min(least, scale * (row.best.mean - deviation));
    most = std::max(most, scale * (row.best.mean + deviation));
  }
  Axis axis;
  axis.scale = scale;
  constexpr double kMostLines = 8;
  for (const double step : steps) {
    axis.step = step;
    axis.low = std::max(0.0, std::floor((least - step / 4) / step) * step);
    if (!reference.isChance) axis.low = 0;
    axis.high = std::min(end, std::ceil((most + step / 4) / step) * step);
    if (axis.high <= axis.low) axis.high = axis.low + step;
    if (axis.high - axis.low <= (kMostLines + 0.5) * step) break;
  }
  return axis;
}

using Color = std::array<std::uint8_t, 3>;

void fill(std::vector<std::uint8_t>& pixels, int width, int height, int left, int top, int right,
          int bottom, Color color) {
  for (int y = std::max(top, 0); y <= std::min(bottom, height - 1); ++y)
    for (int x = std::max(left, 0); x <= std::min(right, width - 1); ++x)
      std::copy(color.begin(), color.end(), &pixels[(static_cast<std::size_t>(y) * width + x) * 3]);
}

/// The line of one variant: the axis' lines, the deviation, the dot.
Image dotLine(const SweepStatistic& statistic, const Axis& axis, const SweepReference& reference) {
  constexpr int kWidth = 720, kHeight = 28, kDot = 4;
  constexpr Color kPaper{246, 246, 246}, kRule{208, 208, 208}, kInk{33, 96, 160};
  constexpr Color kChance{96, 96, 96};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kWidth) * kHeight * 3);
  const auto paint = [&](int left, int top, int right, int bottom, Color color) {
    fill(pixels, kWidth, kHeight, left, top, right, bottom, color);
  };
  paint(0, 0, kWidth - 1, kHeight - 1, kPaper);
  const auto lines = std::lround((axis.high - axis.low) / axis.step);
  for (long line = 0; line <= lines; ++line) {
    const double value = axis.low + static_cast<double>(line) * axis.step;
    const int x = axis.pixel(value / axis.scale, kWidth);
    paint(x, 0, x, kHeight - 1, kRule);
  }
  if (reference.isChance) {
    const int x = axis.pixel(reference.value, kWidth);
    paint(x, 0, x + 1, kHeight - 1, kChance);
  }
  const int middle = kHeight / 2, x = axis.pixel(statistic.mean, kWidth);
  if (!std::isnan(statistic.deviation)) {
    const int left = axis.pixel(statistic.mean - statistic.deviation, kWidth);
    const int right = axis.pixel(statistic.mean + statistic.deviation, kWidth);
    paint(left, middle, right, middle + 1, kInk);
    paint(left, middle - 5, left + 1, middle + 6, kInk);
    paint(right - 1, middle - 5, right, middle + 6, kInk);
  }
  for (int dy = -kDot; dy <= kDot; ++dy) {
    const int half = static_cast<int>(std::sqrt(kDot * kDot - dy * dy + 1.0));
    paint(x - half, middle + dy, x + half, middle + dy, kInk);
  }
  return {kWidth, kHeight, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

std::string captionOf(const SweepPlan& plan, const SweepRow& row) {
  const bool sequences = plan.ofSequences();
  std::string text = sequences ? bitsText(row.best) + " " + resultUnit(plan) + "   "
                               : percentText(row.best) + " %   ";
  text += millions(row.parameters, "%.2f M parameters");
  text += sequences ? "   T " + std::to_string(row.length) : millions(row.macs, "   %.1f M MACs");
  if (row.perSecond > 0)
    text += "   " + speedText(row.perSecond) + (sequences ? " sequences/s" : " images/s");
  return text;
}

std::string rangeText(const SweepPlan& plan, const Axis& axis) {
  const std::string low = formatted("%.6g", axis.low), high = formatted("%.6g", axis.high);
  if (plan.ofSequences())
    return "from " + low + " to " + high + " " + resultUnit(plan) + ", a line every " +
           formatted("%.6g", axis.step);
  const std::string step =
      axis.step == 1 ? "every point" : "every " + formatted("%.0f points", axis.step);
  return "from " + low + " to " + high + " %, a line " + step;
}

}  // namespace

Image sweepFigure(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const SweepReference reference = sweepReference(plan, rows);
  const Axis axis = axisFor(rows, plan.ofSequences(), reference);
  FigureGrid figure;
  figure.title = plan.name;
  figure.columns = 1;
  for (const SweepRow& row : rows) {
    figure.rowLabels.push_back(row.name);
    figure.tiles.push_back({dotLine(row.best, axis, reference), captionOf(plan, row)});
  }
  const std::string what =
      "Best " + (plan.ofSequences() ? "bits" : plan.scoreName()) + " on validation";
  figure.footnote = what + ", " + sweepSeedsText(rows) + "; " + rangeText(plan, axis);
  if (reference.isChance)
    figure.footnote += formatted("; dark line: chance, %.4g %%", axis.scale * reference.value);
  return composeFigure(figure);
}

}  // namespace headlight
