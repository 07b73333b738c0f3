// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ImagePainting.h"

#include <QLinearGradient>
#include <QObject>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/base/TextWrapping.h"
#include "ui/canvas/CaptionLayout.h"

namespace headlight {
namespace {

constexpr int kMaxMapSide = 512;
constexpr double kLegendPadding = 7, kLegendSides = 10;
constexpr int kMostNoteLines = 3;
constexpr int kNarrowLines = 4;       ///< of a caption that has its colors below
constexpr int kMostFigureLines = 16;  ///< of a caption that shows all
constexpr double kOneLineFrom = 1200, kTwoLinesFrom = 440;
constexpr double kEndGap = 6;
constexpr double kWideBar = 180, kLeastBar = 30, kBarGap = 16;

/// Title, detail and colors share one line; or the colors stand beside the title; or below both,
/// of which one may take two lines.
int captionLines(double width) {
  return width >= kOneLineFrom ? 1 : width >= kTwoLinesFrom ? 2 : kNarrowLines;
}

/// Lines that a note takes; lines break at words, so that a little more than its length is needed.
int noteLines(const QFontMetricsF& metrics, const QString& note, double width) {
  if (note.isEmpty()) return 0;
  const double room = std::max(1.0, 0.9 * (width - 2 * kLegendSides));
  return std::clamp(static_cast<int>(std::ceil(metrics.horizontalAdvance(note) / room)), 1,
                    kMostNoteLines);
}

QLinearGradient barGradient(const QRectF& bar, ColorMap map) {
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  constexpr int kStops = 32;
  for (int i = 0; i <= kStops; ++i) {
    const double at = static_cast<double>(i) / kStops;
    const auto rgb = colorOf(map, at);
    gradient.setColorAt(at, QColor(rgb[0], rgb[1], rgb[2]));
  }
  return gradient;
}

/// As many digits as tell the ends apart.
std::pair<QString, QString> endTexts(const ValueRange& range) {
  constexpr int kDigits = 3, kMostDigits = 7;
  for (int digits = kDigits;; ++digits) {
    std::pair ends(QString::number(range.low, 'g', digits),
                   QString::number(range.high, 'g', digits));
    if (ends.first != ends.second || digits == kMostDigits || range.low == range.high) return ends;
  }
}

double endsWidth(const QFontMetricsF& metrics, const Legend& legend) {
  const auto [low, high] = endTexts(legend.range);
  return metrics.horizontalAdvance(low + high) + 2 * kEndGap;
}

/// With its ends, beside the title.
double widthOfBar(const QFontMetricsF& metrics, const Legend& legend, double room, int lines) {
  const double ends = endsWidth(metrics, legend);
  if (lines == 1) return kWideBar + ends;
  const double left = room - metrics.horizontalAdvance(legend.title) - kBarGap - ends;
  return ends + std::clamp(left, kLeastBar, std::max(kLeastBar, std::min(0.2 * room, kWideBar)));
}

bool hasColorsBelow(const Legend& legend, double width) {
  return legend.bar && width < kTwoLinesFrom;
}

double barWidthOf(const QFontMetricsF& metrics, const Legend& legend, double width) {
  const double room = width - 2 * kLegendSides;
  return hasColorsBelow(legend, width) ? room
                                       : widthOfBar(metrics, legend, room, captionLines(width));
}

/// Of the caption's lines of text, which are beside the colors or above them.
QList<double> lineWidths(const QFontMetricsF& metrics, const Legend& legend, double width,
                         int lines) {
  const double room = width - 2 * kLegendSides;
  QList<double> widths(hasColorsBelow(legend, width) ? lines - 1 : lines, room);
  if (legend.bar && !hasColorsBelow(legend, width))
    widths.first() -= barWidthOf(metrics, legend, width) + kBarGap;
  return widths;
}

/// Title, detail and colors.
int captionLines(const QFontMetricsF& metrics, const Legend& legend, double width) {
  int lines = captionLines(width);
  if (!legend.whole) return lines;
  while (lines < kMostFigureLines &&
         !layOutCaption(metrics, legend, lineWidths(metrics, legend, width, lines)).complete)
    ++lines;
  return lines;
}

int noteLines(const QFontMetricsF& metrics, const Legend& legend, double width) {
  if (!legend.whole) return noteLines(metrics, legend.note, width);
  return static_cast<int>(brokenLines(metrics, legend.note, width - 2 * kLegendSides).size());
}

QString weightsLine(const QString& weights) {
  return QObject::tr("weights: %1").arg(weights);
}

}  // namespace

void MapOverlay::setDrawn(const DrawnMap& drawn) {
  style = drawn.style;
  colorMap = drawn.colorMap;
  range = drawn.range;
  note = drawn.note;
}

QString withMapNote(const QString& text, const MapOverlay& map) {
  return map.note.empty() ? text : text + QStringLiteral(" · ") + coreText(map.note);
}

bool MapOverlay::operator==(const MapOverlay& other) const {
  // Bit for bit, so that a map with NaN in it equals itself.
  return rows == other.rows && cols == other.cols && range.low == other.range.low &&
         range.high == other.range.high && colorMap == other.colorMap && style == other.style &&
         smooth == other.smooth && note == other.note && values.size() == other.values.size() &&
         std::memcmp(values.data(), other.values.data(), values.size() * sizeof(float)) == 0;
}

QImage mapImage(const MapOverlay& map, int pixelsPerPatch) {
  if (map.rows <= 0 || map.cols <= 0 ||
      map.values.size() != static_cast<std::size_t>(map.rows) * map.cols)
    return {};
  int scale = 1;
  if (map.smooth) scale = std::clamp(kMaxMapSide / std::max(map.rows, map.cols), 1, pixelsPerPatch);
  std::vector<float> values = map.values;
  if (map.isLight())  // what is no number has no light
    for (float& value : values)
      if (std::isnan(value)) value = static_cast<float>(map.range.low);
  const Image image = heatmap(values, map.rows, map.cols, map.range, map.colorMap, map.cols * scale,
                              map.rows * scale, map.smooth);
  return wrapImage(image).convertToFormat(QImage::Format_RGB32);
}

QImage litImage(const QImage& ground, const MapOverlay& map, double dim) {
  if (ground.isNull()) return {};
  QImage pixels = ground.convertToFormat(QImage::Format_RGB888);
  const auto light = resizeLight(map.values, map.rows, map.cols, map.range, pixels.width(),
                                 pixels.height(), map.smooth);
  const auto width = static_cast<std::size_t>(pixels.width());
  const Lamp lamp({map.style == MapStyle::Warm, dim});
  for (int y = 0; y < pixels.height(); ++y)
    lamp.lightPixels(pixels.scanLine(y), light.data() + static_cast<std::size_t>(y) * width, width);
  return pixels;
}

void drawMap(QPainter& painter, const QRectF& target, const QImage& map, bool smooth) {
  if (map.isNull()) return;
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, smooth);
  painter.drawImage(target, map);
  painter.restore();
}

QString formatValue(double value) {
  return QString::number(value, 'g', 3);
}

QString legendText(const Legend& legend) {
  const QString weights = legend.weights.isEmpty() ? QString() : weightsLine(legend.weights);
  QStringList lines{legend.title, legend.detail, weights, legend.note};
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

double legendHeight(const QFontMetricsF& metrics, const QString& note, double width) {
  return (captionLines(width) + noteLines(metrics, note, width)) * metrics.height() +
         2 * kLegendPadding;
}

double captionHeight(const QFontMetricsF& metrics, const Legend& legend, double width) {
  const int lines = captionLines(metrics, legend, width) + noteLines(metrics, legend, width);
  return lines * metrics.height() + 2 * kLegendPadding;
}

void drawLegend(QPainter& painter, const QRectF& area, const Legend& legend,
                const QPalette& palette) {
  painter.save();
  const QFontMetricsF metrics(painter.font());
  const double line = metrics.height(), width = area.width();
  const int lines = captionLines(metrics, legend, width);
  const QRectF inner = area.adjusted(kLegendSides, kLegendPadding, -kLegendSides, -kLegendPadding);
  const QColor text = palette.color(QPalette::WindowText);
  QColor quiet = text;
  quiet.setAlphaF(0.72f);
  const auto write = [&](double left, int at, const QString& words) {
    painter.drawText(QRectF(inner.left() + left, inner.top() + at * line, inner.width(), line),
                     Qt::AlignLeft | Qt::AlignVCenter, words);
  };
  const auto caption = layOutCaption(metrics, legend, lineWidths(metrics, legend, width, lines));
  for (const CaptionPiece& piece : caption.pieces) {
    painter.setPen(piece.isDetail ? quiet : text);
    write(piece.left, piece.line, piece.text);
  }
  painter.setPen(quiet);
  int at = lines;
  for (const QString& noted :
       layOutNote(metrics, legend.note, inner.width(), noteLines(metrics, legend, width)))
    write(0, at++, noted);
  const double bar = barWidthOf(metrics, legend, width);
  const double top = inner.top() + (hasColorsBelow(legend, width) ? (lines - 1) * line : 0);
  if (legend.bar) drawColors(painter, {inner.right() - bar, top, bar, line}, legend, quiet);
  painter.restore();
}

void drawColors(QPainter& painter, const QRectF& area, const Legend& legend, const QColor& text) {
  const QFontMetricsF metrics(painter.font());
  const auto [low, high] = endTexts(legend.range);
  const QRectF bar = area.adjusted(metrics.horizontalAdvance(low) + kEndGap, 3,
                                   -metrics.horizontalAdvance(high) - kEndGap, -3);
  painter.fillRect(bar, barGradient(bar, legend.colorMap));
  painter.setPen(text);
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, low);
  painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, high);
}

QRectF seenRegion(const Image& image, const ModelConfig& model) {
  if (image.empty()) return {};
  const auto region = evaluationRegion(image.width, image.height, makePreprocessing(model));
  return {region[0], region[1], region[2], region[3]};
}

QRectF patchInRegion(const QRectF& region, int rows, int cols, int index) {
  if (rows <= 0 || cols <= 0 || index < 0 || index >= rows * cols) return {};
  const double width = region.width() / cols, height = region.height() / rows;
  const int row = index / cols, col = index % cols;
  return {region.left() + col * width, region.top() + row * height, width, height};
}

void drawOutline(QPainter& painter, const QRectF& rectangle, const QColor& color, double width) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const auto frame = [&](const QColor& pen, double penWidth, double outset) {
    painter.setPen(QPen(pen, penWidth, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(rectangle.adjusted(-outset, -outset, outset, outset));
  };
  frame(QColor(0, 0, 0, 150), 1, width / 2 + 0.5);
  frame(QColor(255, 255, 255, 220), 1, -width / 2 - 0.5);
  frame(color, width, 0);
  painter.restore();
}

}  // namespace headlight
