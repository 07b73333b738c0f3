#include "ui/maps/ImagePainting.h"

#include <QLinearGradient>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/base/Images.h"

namespace headlight {
namespace {

constexpr int kMaxMapSide = 512;
constexpr double kLegendPadding = 7, kLegendSides = 10;
constexpr int kMostNoteLines = 3;
constexpr double kOneLineFrom = 880;  ///< width from which title, detail and colours share a line
constexpr double kCaptionGap = 14, kEndGap = 6;

int captionLines(double width) {
  return width >= kOneLineFrom ? 1 : 2;
}

/// Lines that a note takes; lines break at words, so that a little more than its length is needed.
int noteLines(const QFontMetricsF& metrics, const QString& note, double width) {
  if (note.isEmpty()) return 0;
  const double room = std::max(1.0, 0.94 * (width - 2 * kLegendSides));
  return std::clamp(static_cast<int>(std::ceil(metrics.horizontalAdvance(note) / room)), 1,
                    kMostNoteLines);
}

/// Line `index` of `count`; the last is cut short if it has to be.
QString noteLine(const QFontMetricsF& metrics, const QString& note, double width, int index,
                 int count) {
  QString rest = note;
  for (int line = 0;; ++line) {
    if (line == count - 1) return metrics.elidedText(rest, Qt::ElideRight, width);
    QString taken;
    for (const QString& word : rest.split(QLatin1Char(' '))) {
      const QString longer = taken.isEmpty() ? word : taken + QLatin1Char(' ') + word;
      if (!taken.isEmpty() && metrics.horizontalAdvance(longer) > width) break;
      taken = longer;
    }
    if (line == index) return taken;
    rest = rest.mid(taken.size() + 1);
  }
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

double endsWidth(const QFontMetricsF& metrics, const Legend& legend) {
  return metrics.horizontalAdvance(formatValue(legend.range.low) + formatValue(legend.range.high)) +
         2 * kEndGap;
}

/// The colours between their ends where there is one line, else above them.
void drawBar(QPainter& painter, const QRectF& area, const Legend& legend, const QColor& text) {
  const QFontMetricsF metrics(painter.font());
  if (area.height() < 2 * metrics.height() - 1) {
    const double low = metrics.horizontalAdvance(formatValue(legend.range.low)) + kEndGap;
    const double high = metrics.horizontalAdvance(formatValue(legend.range.high)) + kEndGap;
    const QRectF bar(area.left() + low, area.top() + 3, area.width() - low - high,
                     area.height() - 6);
    painter.fillRect(bar, barGradient(bar, legend.colorMap));
    painter.setPen(text);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, formatValue(legend.range.low));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, formatValue(legend.range.high));
    return;
  }
  const QRectF bar(area.left(), area.top() + 3, area.width(), metrics.height() - 5);
  painter.fillRect(bar, barGradient(bar, legend.colorMap));
  painter.setPen(text);
  const QRectF ends(area.left(), area.bottom() - metrics.height(), area.width(), metrics.height());
  painter.drawText(ends, Qt::AlignLeft | Qt::AlignVCenter, formatValue(legend.range.low));
  painter.drawText(ends, Qt::AlignRight | Qt::AlignVCenter, formatValue(legend.range.high));
}

}  // namespace

void MapLayer::setDrawn(const DrawnMap& drawn) {
  style = drawn.style;
  colorMap = drawn.colorMap;
  range = drawn.range;
  note = drawn.note;
}

QString withMapNote(const QString& text, const MapLayer& map) {
  return map.note.empty() ? text : text + QStringLiteral(" · ") + QString::fromStdString(map.note);
}

bool MapLayer::operator==(const MapLayer& other) const {
  // Bit for bit, so that a map with NaN in it equals itself.
  return rows == other.rows && cols == other.cols && range.low == other.range.low &&
         range.high == other.range.high && colorMap == other.colorMap && style == other.style &&
         smooth == other.smooth && note == other.note && values.size() == other.values.size() &&
         std::memcmp(values.data(), other.values.data(), values.size() * sizeof(float)) == 0;
}

QImage mapImage(const MapLayer& map, int pixelsPerPatch) {
  if (map.rows <= 0 || map.cols <= 0 ||
      map.values.size() != static_cast<std::size_t>(map.rows) * map.cols)
    return {};
  int scale = 1;
  if (map.smooth) scale = std::clamp(kMaxMapSide / std::max(map.rows, map.cols), 1, pixelsPerPatch);
  std::vector<float> values = map.values;
  if (map.isLight())  // what is no number has no light
    for (float& value : values)
      if (std::isnan(value)) value = static_cast<float>(map.range.low);
  const Image picture = heatmap(values, map.rows, map.cols, map.range, map.colorMap,
                                map.cols * scale, map.rows * scale, map.smooth);
  return wrapImage(picture).convertToFormat(QImage::Format_RGB32);
}

QImage litPicture(const QImage& ground, const MapLayer& map, double dim) {
  if (ground.isNull()) return {};
  QImage pixels = ground.convertToFormat(QImage::Format_RGB888);
  const auto light = lightOf(map.values, map.rows, map.cols, map.range, pixels.width(),
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

double legendHeight(const QFontMetricsF& metrics, const QString& note, double width) {
  return (captionLines(width) + noteLines(metrics, note, width)) * metrics.height() +
         2 * kLegendPadding;
}

void drawLegend(QPainter& painter, const QRectF& area, const Legend& legend,
                const QPalette& palette) {
  painter.save();
  const QFontMetricsF metrics(painter.font());
  const int notes = noteLines(metrics, legend.note, area.width());
  const QRectF inner = area.adjusted(kLegendSides, kLegendPadding, -kLegendSides,
                                     -kLegendPadding - notes * metrics.height());
  double barWidth = 0;
  if (legend.bar)
    barWidth =
        std::max(std::clamp(inner.width() * 0.3, 60.0, 180.0),
                 metrics.horizontalAdvance(formatValue(legend.range.low) + QStringLiteral("  ") +
                                           formatValue(legend.range.high)));
  const bool oneLine = inner.height() < 2 * metrics.height() - 1;
  if (legend.bar && oneLine) barWidth += endsWidth(metrics, legend);
  const double textWidth = inner.width() - (legend.bar ? barWidth + 16 : 0);
  QColor text = palette.color(QPalette::WindowText);
  painter.setPen(text);
  const QString title = metrics.elidedText(legend.title, Qt::ElideRight, textWidth);
  painter.drawText(QRectF(inner.left(), inner.top(), textWidth, metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, title);
  text.setAlphaF(0.72f);
  painter.setPen(text);
  const double before = oneLine ? metrics.horizontalAdvance(title) + kCaptionGap : 0;
  painter.drawText(QRectF(inner.left() + before, inner.bottom() - metrics.height(),
                          textWidth - before, metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(legend.detail, Qt::ElideRight, textWidth - before));
  for (int line = 0; line < notes; ++line)
    painter.drawText(QRectF(inner.left(), inner.bottom() + line * metrics.height(), inner.width(),
                            metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     noteLine(metrics, legend.note, inner.width(), line, notes));
  if (legend.bar)
    drawBar(painter, QRectF(inner.right() - barWidth, inner.top(), barWidth, inner.height()),
            legend, text);
  painter.restore();
}

QRectF seenRegion(const Image& image, const ModelConfig& model) {
  if (image.empty()) return {};
  const auto region = evaluationRegion(image.width, image.height, preprocessingOf(model));
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
