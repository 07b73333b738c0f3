// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SimilarityPainting.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kSimilarityMargin = 12;

QColor colorFor(const Legend& legend, double value) {
  const double span = legend.range.high - legend.range.low;
  const auto rgb = colorOf(legend.colorMap, span > 0 ? (value - legend.range.low) / span : 0);
  return {rgb[0], rgb[1], rgb[2]};
}

}  // namespace

QRectF similarityCell(const QRectF& area, const QFontMetricsF& metrics, int layers, int row,
                      int column) {
  if (layers <= 0) return {};
  const double label = metrics.horizontalAdvance(QObject::tr("layer 00")) + 8;
  const double header = metrics.height() + 6;
  const double side = std::min(area.width() - label - 2 * kSimilarityMargin,
                               area.height() - header - 2 * kSimilarityMargin);
  const double cell = std::max(2.0, std::floor(side / layers));
  const double left = std::round(area.center().x() - (cell * layers - label) / 2);
  const double top = std::round(area.top() + kSimilarityMargin + header +
                                std::max(0.0, (side - cell * layers) / 2));
  return {left + column * cell, top + row * cell, cell, cell};
}

Legend similarityLegend(int head, bool isSigned, ColorMap colorMap, const QString& sourceNote) {
  Legend legend;
  legend.title = QObject::tr("similarity of layers · ") +
                 (head < 0 ? QObject::tr("mean of heads") : QObject::tr("head %1").arg(head));
  if (!sourceNote.isEmpty()) legend.title += QStringLiteral(" · ") + sourceNote;
  legend.bar = true;
  legend.range = isSigned ? ValueRange{-1, 1} : ValueRange{0, 1};
  legend.colorMap = isSigned ? ColorMap::Diverging : colorMap;
  legend.detail = isSigned ? QObject::tr("cosine of maps, mean over tokens · fixed scale: −1 to 1")
                           : QObject::tr("cosine of maps, mean over tokens · fixed scale: 0 to 1");
  return legend;
}

Legend similarityLegend(const LayerSimilarity& averages, int head, ColorMap colorMap,
                        const QString& sourceNote) {
  Legend legend = similarityLegend(head, averages.isSigned, colorMap, sourceNote);
  legend.title += QObject::tr(" · mean of %1 images").arg(averages.images);
  return legend;
}

void drawSimilarity(QPainter& painter, const QRectF& area, const std::vector<float>& values,
                    int layers, const Legend& legend, const QPalette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  const QFontMetricsF metrics(painter.font());
  const QColor text = palette.color(QPalette::WindowText);
  const double cellWidth = similarityCell(area, metrics, layers, 0, 0).width();
  const bool numbers = cellWidth >= metrics.horizontalAdvance(QStringLiteral("0.00")) + 6;
  // Labels are skipped if there is no space for each.
  const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() / cellWidth)));
  for (int row = 0; row < layers; ++row) {
    for (int column = 0; column < layers; ++column) {
      const QRectF cell = similarityCell(area, metrics, layers, row, column);
      const auto at = static_cast<std::size_t>(row) * layers + column;
      if (at >= values.size()) continue;
      if (std::isnan(values[at])) {  // layers on different grids
        painter.fillRect(cell.adjusted(1, 1, -1, -1), palette.color(QPalette::AlternateBase));
        continue;
      }
      const QColor color = colorFor(legend, values[at]);
      painter.fillRect(cell, color);
      if (!numbers) continue;
      const bool bright = qGray(color.rgb()) > 105;
      painter.setPen(bright ? QColor(0, 0, 0, 200) : QColor(255, 255, 255, 220));
      painter.drawText(cell, Qt::AlignCenter, QString::number(values[at], 'f', 2));
    }
    if (row % every != 0) continue;
    const QRectF first = similarityCell(area, metrics, layers, row, 0);
    const QRectF top = similarityCell(area, metrics, layers, 0, row);
    painter.setPen(text);
    painter.drawText(
        QRectF(area.left(), first.top(), first.left() - area.left() - 6, first.height()),
        Qt::AlignRight | Qt::AlignVCenter, QObject::tr("layer %1").arg(row));
    const double room = std::max(top.width(), metrics.horizontalAdvance(QStringLiteral("00")));
    painter.drawText(QRectF(top.center().x() - room / 2, top.top() - metrics.height() - 4, room,
                            metrics.height()),
                     Qt::AlignCenter, QString::number(row));
  }
  painter.restore();
}

}  // namespace headlight
