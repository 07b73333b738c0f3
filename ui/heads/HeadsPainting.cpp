// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsPainting.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

void paintLabel(QPainter& painter, const QRectF& area, int alignment, const QString& label,
                bool chosen, const QPalette& palette) {
  QColor text = palette.color(QPalette::WindowText);
  text.setAlphaF(chosen ? 1.0f : 0.7f);
  painter.setPen(text);
  painter.drawText(area, alignment, label);
}

void paintLayers(QPainter& painter, const HeadsLayout& layout, const HeadsLabels& labels,
                 const QPalette& palette) {
  for (int block = 0; block < layout.blocks(); ++block)
    painter.fillRect(QRectF(block * layout.blockWidth(), 0, layout.labelWidth() - layout.gap() / 2,
                            labels.viewport.height()),
                     palette.color(QPalette::Window));
  for (int layer = 0; layer < layout.layers(); ++layer) {
    const QRectF tile = layout.tileRect(layer, -1).translated(-labels.scroll);
    const double left = layout.blockOf(layer) * layout.blockWidth();
    const double middle = tile.center().y(), half = painter.fontMetrics().height() / 2.0;
    paintLabel(painter, QRectF(left, middle - half, layout.labelWidth() - layout.gap(), 2 * half),
               Qt::AlignRight | Qt::AlignVCenter,
               layout.hasCaptions() ? QObject::tr("layer %1").arg(layer) : QString::number(layer),
               layer == labels.layer, palette);
  }
}

void paintHeads(QPainter& painter, const HeadsLayout& layout, const HeadsLabels& labels,
                const QPalette& palette) {
  if (layout.isFolded()) return;  // a column is of several heads: tips name them
  const double height = layout.headerHeight() - 3, room = layout.cell().width() - 2;
  const QFontMetricsF metrics(painter.font());
  // All in words, or all as numbers, as many as there is room for.
  const int most = layout.columns() - 2;
  const bool words = metrics.horizontalAdvance(QObject::tr("head %1").arg(most)) <= room;
  const bool mean = metrics.horizontalAdvance(QObject::tr("mean")) <= room;
  const int every = std::max(
      1, static_cast<int>(std::ceil(metrics.horizontalAdvance(QString::number(most)) / room)));
  for (int block = 0; block < layout.blocks(); ++block) {
    const auto rectOf = [&](int head) {
      return layout.columnRect(block, head).translated(-labels.scroll);
    };
    const auto [first, last] =
        layout.headsWithin(rectOf(-1).left(), QRect(QPoint(0, 0), labels.viewport));
    for (int head = first; head <= last; ++head) {
      const QRectF tile = rectOf(head);
      if (head > 0 && head % every != 0) continue;
      const QString label = head < 0 ? (mean ? QObject::tr("mean") : QObject::tr("m", "mean"))
                            : words  ? QObject::tr("head %1").arg(head)
                                     : QString::number(head);
      paintLabel(painter,
                 QRectF(tile.left() - every * layout.cell().width() / 2, 0,
                        tile.width() + every * layout.cell().width(), height),
                 Qt::AlignCenter, label, head == labels.head, palette);
    }
  }
}

}  // namespace

void paintHeadsLabels(QPainter& painter, const HeadsLayout& layout, const HeadsLabels& labels,
                      const QPalette& palette) {
  paintLayers(painter, layout, labels, palette);
  const double width = labels.viewport.width(), height = layout.headerHeight();
  painter.fillRect(QRectF(0, 0, width, height - 3), palette.color(QPalette::Window));
  painter.setClipRect(QRectF(layout.labelWidth() - layout.gap() / 2, 0, width, height));
  paintHeads(painter, layout, labels, palette);
  painter.setClipping(false);
}

}  // namespace headlight
