// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/CurvePlot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Utf8.h"
#include "core/imaging/ColorMap.h"

namespace headlight {
namespace {

// Units of 1/96 inch: a column of two on A4 when halved.
constexpr double kFigureWidth = 760, kFigureHeight = 400, kLeft = 66, kTop = 34, kBottom = 352,
                 kLegendWidth = 190, kTextSize = 11;
constexpr int kMostGridLines = 8;
const std::string kCut = "…";
constexpr DrawnColor kGridColor{225, 225, 225}, kAxisColor{90, 90, 90};

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void take(double value) { low = std::min(low, value), high = std::max(high, value); }
};

std::vector<double> ticksIn(const Span& span) {
  if (!std::isfinite(span.high - span.low)) return {};
  std::vector<double> ticks = roundTicks(span.low, span.high, kMostGridLines);
  std::erase_if(ticks, [&](double tick) { return tick < span.low || tick > span.high; });
  return ticks;
}

std::string tickLabel(double value) {
  char text[32];
  const double shown = std::abs(value) < 1e-300 ? 0 : value;
  return {text, std::to_chars(text, text + sizeof text, shown, std::chars_format::general, 6).ptr};
}

/// Okabe and Ito's, of few lines; of many they follow one another, as in the window.
DrawnColor lineColor(std::size_t index, std::size_t lines) {
  static constexpr std::array<DrawnColor, 7> few = {{{0x00, 0x72, 0xb2},
                                                     {0xd5, 0x5e, 0x00},
                                                     {0x00, 0x9e, 0x73},
                                                     {0xcc, 0x79, 0xa7},
                                                     {0xe6, 0x9f, 0x00},
                                                     {0x56, 0xb4, 0xe9},
                                                     {0x7f, 0x7f, 0x7f}}};
  if (lines <= few.size()) return few[index];
  const double share = 0.88 * static_cast<double>(index) / static_cast<double>(lines - 1);
  const auto color = colorOf(ColorMap::Viridis, share);
  return {color[0], color[1], color[2]};
}

std::string fittingText(const std::string& text, double width) {
  if (textWidth(text, kTextSize) <= width) return text;
  std::string_view rest = text;
  while (!rest.empty() && textWidth(kCut + std::string(rest), kTextSize) > width)
    rest.remove_prefix(utf8Length(rest));
  return kCut + std::string(rest);
}

double deviationAt(const PlottedCurve& curve, std::size_t i) {
  const double deviation = curve.deviations.empty() ? 0 : curve.deviations[i];
  return std::isfinite(deviation) ? deviation : 0;
}

/// Where values lie on the page.
class Frame {
 public:
  Frame(const std::vector<PlottedCurve>& curves, const CurveTitles& titles) : m_titles(titles) {
    Span keys, values;
    for (const PlottedCurve& line : curves)
      for (std::size_t i = 0; i < line.keys.size(); ++i) {
        keys.take(line.keys[i]);
        values.take(line.values[i] - deviationAt(line, i));
        values.take(line.values[i] + deviationAt(line, i));
      }
    if (values.low > values.high) values = {0, 1}, keys = {0, 0};
    if (titles.reference) values.take(*titles.reference);
    for (std::size_t i = 0; i < titles.keyLabels.size(); ++i)
      keys.take(static_cast<double>(i));
    const double size = std::max(std::abs(values.low), std::abs(values.high));
    const double range = values.high - values.low;
    // For identical values, the axis leaves room around them instead of meaningless digits.
    const double margin = std::max(0.05 * (range > 1e-5 * size ? range : size), 1e-6);
    const bool wide = !titles.keyLabels.empty() || keys.high <= keys.low;
    const double side = wide ? 0.5 : 0.05 * (keys.high - keys.low);
    m_keys = titles.points ? Span{keys.low - side, keys.high + side}
                           : Span{0, keys.high > 0 ? 1.02 * keys.high : 1};
    const bool fromZero = titles.reference && *titles.reference == 0 && values.low == 0;
    m_values = {fromZero ? 0 : values.low - margin, values.high + margin};
  }

  double right() const { return kFigureWidth - kLegendWidth; }
  double x(double key) const {
    return kLeft + (key - m_keys.low) / (m_keys.high - m_keys.low) * (right() - kLeft);
  }
  double y(double value) const {
    return kBottom - (value - m_values.low) / (m_values.high - m_values.low) * (kBottom - kTop);
  }

  void addAxes(Drawing& drawing) const {
    const std::vector<std::string>& labels = m_titles.keyLabels;
    for (std::size_t i = 0; i < labels.size(); ++i)
      addKey(drawing, static_cast<double>(i),
             fittingText(labels[i], (right() - kLeft) / static_cast<double>(labels.size())));
    if (labels.empty())
      for (const double key : ticksIn(m_keys))
        addKey(drawing, key, tickLabel(key));
    for (const double value : ticksIn(m_values)) {
      drawing.lines.push_back({{{kLeft, y(value)}, {right(), y(value)}}, kGridColor, 0.75});
      drawing.texts.push_back(
          {kLeft - 6, y(value) + 4, tickLabel(value), kTextSize, DrawnText::Anchor::Right, 60});
    }
    drawing.lines.push_back({{{kLeft, kTop}, {kLeft, kBottom}, {right(), kBottom}}, kAxisColor, 1});
    if (!m_titles.referenceName.empty()) addReference(drawing, *m_titles.reference);
  }

 private:
  void addReference(Drawing& drawing, double value) const {
    drawing.lines.push_back({{{kLeft, y(value)}, {right(), y(value)}}, kAxisColor, 0.75});
    char text[32];
    std::snprintf(text, sizeof text, " %.3g", value);
    drawing.texts.push_back({right() - 4, y(value) - 4, m_titles.referenceName + text, kTextSize,
                             DrawnText::Anchor::Right});
  }

  void addKey(Drawing& drawing, double key, const std::string& label) const {
    drawing.lines.push_back({{{x(key), kTop}, {x(key), kBottom}}, kGridColor, 0.75});
    drawing.texts.push_back(
        {x(key), kBottom + 16, label, kTextSize, DrawnText::Anchor::Middle, 60});
  }

  const CurveTitles& m_titles;
  Span m_keys, m_values;
};

void addPoints(Drawing& drawing, const PlottedCurve& curve, const Frame& frame,
               const DrawnColor& color) {
  for (std::size_t i = 0; i < curve.keys.size(); ++i) {
    const double x = frame.x(curve.keys[i]), deviation = deviationAt(curve, i);
    drawing.lines.push_back({{{x, frame.y(curve.values[i])}}, color, 1.5});
    if (deviation <= 0) continue;
    const double low = frame.y(curve.values[i] - deviation);
    const double high = frame.y(curve.values[i] + deviation);
    drawing.lines.push_back({{{x, low}, {x, high}}, color, 1});
    drawing.lines.push_back({{{x - 4, low}, {x + 4, low}}, color, 1});
    drawing.lines.push_back({{{x - 4, high}, {x + 4, high}}, color, 1});
  }
}

DrawnLine lineOf(const PlottedCurve& curve, const Frame& frame, const DrawnColor& color) {
  DrawnLine line{{}, color, 1.5};
  for (std::size_t i = 0; i < curve.keys.size(); ++i) {
    const std::pair<double, double> point{frame.x(curve.keys[i]), frame.y(curve.values[i])};
    // Not of a run whose loss went beyond all numbers.
    if (std::isfinite(point.first) && std::isfinite(point.second)) line.points.push_back(point);
  }
  return line;
}

void addLegendLine(Drawing& drawing, const std::string& name, std::size_t index,
                   const DrawnColor& color) {
  const double left = kFigureWidth - kLegendWidth + 14;
  const double y = kTop + 6 + 14 * static_cast<double>(index);
  drawing.lines.push_back({{{left, y - 4}, {left + 16, y - 4}}, color, 2});
  drawing.texts.push_back({left + 22, y, fittingText(name, kLegendWidth - 44), kTextSize});
}

/// Words stand below one another in turn: marks that are near must not hide each other's.
void addMarks(Drawing& drawing, const PlottedCurve& curve, const Frame& frame,
              const DrawnColor& color, std::size_t& row) {
  constexpr std::size_t kRows = 6;
  constexpr double kMostWidth = 130;
  for (const auto& [key, text] : curve.marks) {
    const double x = frame.x(key), y = kTop + 10 + 11 * static_cast<double>(row++ % kRows);
    if (x < kLeft || x > frame.right()) continue;
    drawing.lines.push_back({{{x, kTop}, {x, kBottom}}, color, 0.5});
    const bool fits = x + kMostWidth < frame.right();
    drawing.texts.push_back({fits ? x + 3 : x - 3, y, fittingText(text, kMostWidth), kTextSize - 2,
                             fits ? DrawnText::Anchor::Left : DrawnText::Anchor::Right});
  }
}

}  // namespace

Drawing drawCurves(const std::vector<PlottedCurve>& curves, const CurveTitles& titles) {
  Drawing drawing{kFigureWidth, kFigureHeight, titles.quantity, {}, {}};
  const Frame frame(curves, titles);
  frame.addAxes(drawing);
  const std::size_t lines = curves.size();
  std::size_t row = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const DrawnColor color = lineColor(i, lines);
    DrawnLine line = lineOf(curves[i], frame, color);
    // A single point is a dot by itself.
    const bool dotted = titles.points && (line.points.size() == 1 || !curves[i].joined);
    if (!dotted) drawing.lines.push_back(std::move(line));
    if (titles.points) addPoints(drawing, curves[i], frame, color);
    addLegendLine(drawing, curves[i].name, i, color);
    addMarks(drawing, curves[i], frame, color, row);
  }
  const double middle = (kLeft + frame.right()) / 2;
  drawing.texts.push_back({kLeft - 40, kTop - 14, titles.quantity, kTextSize + 1});
  drawing.texts.push_back(
      {middle, kBottom + 34, titles.axis, kTextSize + 1, DrawnText::Anchor::Middle});
  return drawing;
}

std::vector<double> roundTicks(double low, double high, int most) {
  const double rough = (high - low) / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  std::vector<double> ticks;
  const auto first = static_cast<std::int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<std::int64_t>(std::ceil(high / step - 1e-9));
  for (std::int64_t i = first; i <= last; ++i)
    ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

}  // namespace headlight
