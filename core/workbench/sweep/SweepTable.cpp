// Of Sweep.h, what a sweep is written down as: CSV for programs, Markdown for people, and a
// picture.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Text.h"
#include "core/imaging/Figure.h"
#include "core/training/run/LineLog.h"
#include "core/workbench/Sweep.h"

namespace headlight {
namespace {

/// The shortest text that reads back as the same number; empty for NaN.
/// Nothing where there is no number.
std::string cellText(double value) {
  return std::isnan(value) ? "" : numberText(value);
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// As RFC 4180 has it: quoted where it must be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

/// A bar would end a Markdown cell.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text)
    result += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return result;
}

std::string speedText(double imagesPerSecond) {
  return imagesPerSecond > 0 ? formatted("%.0f", imagesPerSecond) : "–";
}

/// An axis of per cent that holds every dot with its deviation, between round numbers.
struct Axis {
  double low = 0, high = 100, step = 10;

  int pixel(double percent, int width) const {
    return static_cast<int>(std::lround((percent - low) / (high - low) * (width - 1)));
  }
};

Axis axisFor(const std::vector<SweepRow>& rows) {
  double least = 100, most = 0;
  for (const SweepRow& row : rows) {
    const double deviation = std::isnan(row.bestTop1.deviation) ? 0 : row.bestTop1.deviation;
    least = std::min(least, 100 * (row.bestTop1.mean - deviation));
    most = std::max(most, 100 * (row.bestTop1.mean + deviation));
  }
  Axis axis;
  constexpr double kMostLines = 8;
  for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    axis.step = step;
    axis.low = std::max(0.0, std::floor((least - step / 4) / step) * step);
    axis.high = std::min(100.0, std::ceil((most + step / 4) / step) * step);
    if (axis.high <= axis.low) axis.high = axis.low + step;
    if (axis.high - axis.low <= kMostLines * step) break;
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
Image dotLine(const SweepStatistic& statistic, const Axis& axis) {
  constexpr int kWidth = 720, kHeight = 28, kDot = 4;
  constexpr Color kPaper{246, 246, 246}, kRule{208, 208, 208}, kInk{33, 96, 160};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kWidth) * kHeight * 3);
  const auto paint = [&](int left, int top, int right, int bottom, Color color) {
    fill(pixels, kWidth, kHeight, left, top, right, bottom, color);
  };
  paint(0, 0, kWidth - 1, kHeight - 1, kPaper);
  for (double percent = axis.low; percent <= axis.high + 1e-9; percent += axis.step) {
    const int x = axis.pixel(percent, kWidth);
    paint(x, 0, x, kHeight - 1, kRule);
  }
  const int middle = kHeight / 2, x = axis.pixel(100 * statistic.mean, kWidth);
  if (!std::isnan(statistic.deviation)) {
    const int left = axis.pixel(100 * (statistic.mean - statistic.deviation), kWidth);
    const int right = axis.pixel(100 * (statistic.mean + statistic.deviation), kWidth);
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

std::string captionOf(const SweepRow& row) {
  std::string text = percentText(row.bestTop1) + " %   " +
                     formatted("%.2f M parameters", static_cast<double>(row.parameters) / 1e6) +
                     formatted("   %.1f M MACs", static_cast<double>(row.macs) / 1e6);
  if (row.imagesPerSecond > 0) text += "   " + speedText(row.imagesPerSecond) + " images/s";
  return text;
}

}  // namespace

SweepStatistic statisticOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  SweepStatistic statistic{0, std::numeric_limits<double>::quiet_NaN()};
  for (const double value : values)
    statistic.mean += value / count;
  if (values.size() < 2) return statistic;
  double squares = 0;
  for (const double value : values)
    squares += (value - statistic.mean) * (value - statistic.mean);
  statistic.deviation = std::sqrt(squares / (count - 1));
  return statistic;
}

std::string percentText(const SweepStatistic& statistic) {
  std::string text = formatted("%.2f", 100 * statistic.mean);
  if (!std::isnan(statistic.deviation))
    text += " ± " + formatted("%.2f", 100 * statistic.deviation);
  return text;
}

std::string sweepCsv(const std::vector<SweepRow>& rows) {
  std::string text =
      "variant,backbone,mechanism,masks,runs,best_top1_mean,best_top1_deviation,last_top1_mean,"
      "last_top1_deviation,parameters,macs,images_per_second\n";
  for (const SweepRow& row : rows) {
    for (const std::string& name : {row.name, row.backbone, row.mechanism, row.masks})
      text += cell(name) + ",";
    text += std::to_string(row.runs);
    for (const SweepStatistic& statistic : {row.bestTop1, row.lastTop1})
      text.append(",")
          .append(cellText(statistic.mean))
          .append(",")
          .append(cellText(statistic.deviation));
    for (const std::int64_t count : {row.parameters, row.macs})
      text.append(",").append(std::to_string(count));
    text += ",";
    if (row.imagesPerSecond > 0) text += cellText(std::round(row.imagesPerSecond * 10) / 10);
    text += "\n";
  }
  return text;
}

std::string sweepMarkdown(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const std::string about = plan.about.empty() ? "" : "\n\n" + plan.about;
  std::string text = "# " + plan.name + about +
                     "\n\n| Variant | Runs | Best top-1 (%) | Last top-1 (%) | Parameters (M) | "
                     "MACs (M) | Images/s |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const SweepRow& row : rows)
    text += "| " + escaped(row.name) + " | " + std::to_string(row.runs) + " | " +
            percentText(row.bestTop1) + " | " + percentText(row.lastTop1) + " | " +
            formatted("%.3f", static_cast<double>(row.parameters) / 1e6) + " | " +
            formatted("%.1f", static_cast<double>(row.macs) / 1e6) + " | " +
            speedText(row.imagesPerSecond) + " |\n";
  text +=
      "\nTop-1 on the validation split: mean ± sample deviation over seeds, of the best and of "
      "the last epoch of each run. Parameters of the model with its masks. MACs of one image; a "
      "head with a hard, strict or random mask counts with the keys that the mask leaves where its "
      "mechanism has a linear kernel (as softmax attention has, whichever kernel is chosen), else "
      "with all. Images/s: inference in batches, every variant measured in turns on the same "
      "machine.\n";
  return text;
}

Image sweepFigure(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const Axis axis = axisFor(rows);
  FigureGrid figure;
  figure.title = plan.name;
  figure.columns = 1;
  for (const SweepRow& row : rows) {
    figure.rowLabels.push_back(row.name);
    figure.tiles.push_back({dotLine(row.bestTop1, axis), captionOf(row)});
  }
  const std::string step =
      axis.step == 1 ? "every point" : "every " + formatted("%.0f points", axis.step);
  figure.footnote = "Best top-1 on validation, mean ± sample deviation over seeds; from " +
                    formatted("%.0f", axis.low) + " to " + formatted("%.0f", axis.high) +
                    " %, a line " + step;
  return composeFigure(figure);
}

}  // namespace headlight
