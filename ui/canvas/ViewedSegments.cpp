// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedSegments.h"

#include <QObject>

#include <algorithm>
#include <utility>

#include "core/workbench/figures/ObjectFigure.h"
#include "core/workbench/figures/SegmentFigure.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/KnownTruth.h"

namespace headlight {
namespace {

constexpr double kKeyMargin = 8, kSwatchGap = 6;
constexpr int kMostKeys = 12;   ///< more would cover the image
constexpr int kTruthEdge = 3;   ///< pixels that the border of a true segment is wide
constexpr int kQueryEdge = 3;   ///< and that of the clicked query's mask
constexpr int kMaskHalf = 128;  ///< of 255: a probability of one half

QColor segmentColor(int index) {
  const DrawnColor color = objectColor(index);
  return {color.red, color.green, color.blue};
}

QString shareText(const SegmentClass& segment) {
  return QStringLiteral("%1 %2 %")
      .arg(displayName(segment.name))
      .arg(100 * segment.share, 0, 'f', 1);
}

/// Colors those pixels of `area` that lie at a border between values. `valueAt(x, y)`: of a place
/// of the image in [0, 1); `colorAt(value, distance)`: of a pixel with another value in `distance`
/// pixels to the right or below.
template <typename ValueAt, typename ColorAt>
QImage bordersIn(const QRect& area, const QRectF& image, int width, ValueAt valueAt,
                 ColorAt colorAt) {
  QImage borders(area.size(), QImage::Format_ARGB32_Premultiplied);
  borders.fill(Qt::transparent);
  const auto value = [&](int x, int y) {
    return valueAt((area.left() + x + 0.5 - image.left()) / image.width(),
                   (area.top() + y + 0.5 - image.top()) / image.height());
  };
  for (int y = 0; y < borders.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(borders.scanLine(y));
    for (int x = 0; x < borders.width(); ++x) {
      const int here = value(x, y);
      for (int distance = 1; distance <= width; ++distance)
        if (value(x + distance, y) != here || value(x, y + distance) != here) {
          line[x] = colorAt(here, distance);
          break;
        }
    }
  }
  return borders;
}

bool isMasked(const FoundSegments& found, const SegmentQuery& query, double x, double y) {
  const auto& [left, top, width, height] = found.seen;
  const double across = (x - left) / width, down = (y - top) / height;
  if (across < 0 || across >= 1 || down < 0 || down >= 1) return false;
  const auto row = static_cast<std::size_t>(down * found.maskRows),
             col = static_cast<std::size_t>(across * found.maskCols);
  return query.mask[row * static_cast<std::size_t>(found.maskCols) + col] >= kMaskHalf;
}

const SegmentQuery* chosenQuery(const Document& document, const FoundSegments& found) {
  const int query = document.view().options().segmentQuery;
  const bool exists = query >= 0 && query < static_cast<int>(found.queries.size());
  return exists ? &found.queries[static_cast<std::size_t>(query)] : nullptr;
}

const std::vector<std::string>& modelNames(const Document& document) {
  return document.inputs().model().classNames;
}

QString nameOfClass(const Document& document, int index) {
  return displayName(objectName(modelNames(document), static_cast<std::size_t>(index)));
}

/// Of the dataset, "" where it says nothing of the place.
QString trueNameAt(const Document& document, const QPointF& place) {
  if (!showsTrueSegments(document)) return {};
  const KnownTruth& truth = *document.inputs().imageTruth();
  const int label = classAt(truth.segments, place.x(), place.y());
  if (label == kIgnoredClass) return {};
  return displayName(objectName(truth.classNames, static_cast<std::size_t>(label)));
}

}  // namespace

bool showsSegments(const Document& document) {
  return document.inputs().hasModel() && segmentsImages(document.inputs().model().experiment.model);
}

bool showsTrueSegments(const Document& document) {
  const auto& truth = document.inputs().imageTruth();
  return truth && !truth->segments.empty() && document.inputs().hasModel() &&
         !document.recorded().view();
}

std::shared_ptr<const FoundSegments> viewedSegments(const Document& document) {
  const auto inference = document.inference();
  if (!inference || !document.view().options().objectBoxes || document.recorded().view())
    return nullptr;
  return inference->segments;
}

std::vector<SegmentKey> segmentKeys(const FoundSegments& found, const QRectF& area,
                                    const QFontMetricsF& metrics) {
  const double line = metrics.height() + 2;
  const int room =
      std::clamp(static_cast<int>((area.height() - 2 * kKeyMargin) / line), 1, kMostKeys);
  const int all = static_cast<int>(found.classes.size());
  const int named = all <= room ? all : room - 1;
  std::vector<SegmentKey> keys;
  double width = 0;
  for (int i = 0; i < std::min(all, room); ++i) {
    SegmentKey key;
    const SegmentClass& segment = found.classes[static_cast<std::size_t>(i)];
    key.text = i < named ? shareText(segment) : QStringLiteral("+ %1").arg(all - named);
    if (i < named) key.colorIndex = segment.index;
    width = std::max(width, metrics.horizontalAdvance(key.text) + line + 2 * kSwatchGap);
    keys.push_back(key);
  }
  double top = area.top() + kKeyMargin;
  for (SegmentKey& key : keys) {
    key.line = QRectF(area.right() - kKeyMargin - width, top, width, line);
    key.swatch = QRectF(key.line.left() + 3, top + 3, line - 6, line - 6);
    top += line;
  }
  return keys;
}

QRectF areaOfKeys(const std::vector<SegmentKey>& keys) {
  if (keys.empty()) return {};
  return {keys.front().line.topLeft(), keys.back().line.bottomRight()};
}

QString segmentTextAt(const Document& document, const QPointF& place) {
  const auto found = viewedSegments(document);
  const int index = found ? classAt(found->image, place.x(), place.y()) : kIgnoredClass;
  const bool truth = document.view().options().trueBoxes;
  const QString known = truth ? trueNameAt(document, place) : QString();
  if (index == kIgnoredClass)
    return known.isEmpty() ? QString() : QObject::tr("true: %1").arg(known);
  const QString name = nameOfClass(document, index);
  return known.isEmpty() || known == name ? name : QObject::tr("%1 (true: %2)").arg(name, known);
}

QString segmentNote(const Document& document) {
  const auto found = viewedSegments(document);
  QStringList parts;
  if (found) parts << QObject::tr("Colors: the class of each pixel.");
  if (found && chosenQuery(document, *found))
    parts << QObject::tr("White outline: the mask of the clicked segment's query.");
  if (showsTrueSegments(document) && document.view().options().trueBoxes)
    parts << QObject::tr("Colored lines: borders of the true segments.");
  return parts.join(QLatin1Char(' '));
}

QImage classColors(const ClassImage& image) {
  QImage colors(image.width, image.height, QImage::Format_ARGB32_Premultiplied);
  for (int y = 0; y < image.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(colors.scanLine(y));
    const std::uint8_t* classes =
        image.classes.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width);
    for (int x = 0; x < image.width; ++x) {
      line[x] = 0;
      if (classes[x] == kIgnoredClass) continue;
      const auto& color = segmentPalette()[classes[x]];
      line[x] = qRgb(color[0], color[1], color[2]);
    }
  }
  return colors;
}

void SegmentOverlay::paint(QPainter& painter, const Document& document, const QRectF& image,
                           const QRectF& area) {
  if (image.isEmpty()) return;
  const QRect shown = (image & area).toAlignedRect();
  paintColors(painter, document, image);
  paintTruth(painter, document, image, shown);
  paintQuery(painter, document, image, shown);
}

void SegmentOverlay::paintColors(QPainter& painter, const Document& document, const QRectF& image) {
  const auto found = viewedSegments(document);
  if (std::exchange(m_found, found) != found)
    m_colors = found ? classColors(found->image) : QImage();
  if (m_colors.isNull()) return;
  painter.save();
  painter.setOpacity(document.view().options().segmentOpacity);
  painter.drawImage(image, m_colors);
  painter.restore();
}

void SegmentOverlay::paintQuery(QPainter& painter, const Document& document, const QRectF& image,
                                const QRect& area) {
  const auto found = viewedSegments(document);
  const SegmentQuery* query = found ? chosenQuery(document, *found) : nullptr;
  if (!query || area.isEmpty()) return;
  const QImage outline = bordersIn(
      area, image, kQueryEdge,
      [&](double x, double y) { return isMasked(*found, *query, x, y) ? 1 : 0; },
      [](int, int distance) { return distance == 2 ? qRgb(255, 255, 255) : qRgba(0, 0, 0, 255); });
  painter.drawImage(area.topLeft(), outline);
}

void SegmentOverlay::paintTruth(QPainter& painter, const Document& document, const QRectF& image,
                                const QRect& area) {
  if (!showsTrueSegments(document) || !document.view().options().trueBoxes || area.isEmpty())
    return;
  const auto& known = document.inputs().imageTruth();
  const auto& names = modelNames(document);
  if (m_known != known || m_names != names || m_truthImage != image || m_truthArea != area) {
    m_truth = bordersIn(
        area, image, kTruthEdge, [&](double x, double y) { return classAt(known->segments, x, y); },
        [&](int label, int distance) {
          if (distance == 1 || label == kIgnoredClass) return qRgb(0, 0, 0);
          return segmentColor(modelClassOf(label, *known, names)).rgb();
        });
    m_known = known, m_names = names, m_truthImage = image, m_truthArea = area;
  }
  painter.drawImage(area.topLeft(), m_truth);
}

void drawSegmentKeys(QPainter& painter, const std::vector<SegmentKey>& keys,
                     const QPalette& palette) {
  if (keys.empty()) return;
  QColor ground = palette.color(QPalette::Window);
  ground.setAlpha(210);
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRect(areaOfKeys(keys));
  for (const SegmentKey& key : keys) {
    if (key.colorIndex >= 0) painter.fillRect(key.swatch, segmentColor(key.colorIndex));
    painter.setPen(palette.color(QPalette::WindowText));
    painter.drawText(key.line.adjusted(key.line.height() + kSwatchGap, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, key.text);
  }
  painter.restore();
}

}  // namespace headlight
