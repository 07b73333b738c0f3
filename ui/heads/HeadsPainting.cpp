// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsPainting.h"

#include <QCoreApplication>

namespace headlight {
namespace {

constexpr double kTileGap = HeadsLayout::kTileGap;

QString labelText(const char* text) {
  return QCoreApplication::translate("HeadsLayout", text);
}

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
    painter.fillRect(
        QRectF(block * layout.blockWidth(), 0, layout.labelWidth() - 4, labels.viewport.height()),
        palette.color(QPalette::Window));
  for (int layer = 0; layer < layout.layers(); ++layer) {
    const QRectF tile = layout.tileRect(layer, -1).translated(-labels.scroll);
    const int block = layer / layout.rows();
    const double left = block * layout.blockWidth();
    paintLabel(painter, QRectF(left, tile.top(), layout.labelWidth() - kTileGap, tile.height()),
               Qt::AlignRight | Qt::AlignVCenter, labelText("layer %1").arg(layer),
               layer == labels.layer, palette);
  }
}

void paintHeads(QPainter& painter, const HeadsLayout& layout, const HeadsLabels& labels,
                const QPalette& palette) {
  const double height = layout.headerHeight() - 3;
  // All in words, or all as numbers.
  const double longest = QFontMetricsF(painter.font())
                             .horizontalAdvance(labelText("head %1").arg(layout.columns() - 2));
  const bool words = longest <= layout.tile().width() + kTileGap - 2;
  for (int block = 0; block < layout.blocks(); ++block) {
    const auto rectOf = [&](int head) {
      return layout.tileRect(block * layout.rows(), head).translated(-labels.scroll);
    };
    const auto [first, last] =
        layout.headsWithin(rectOf(-1).left(), QRect(QPoint(0, 0), labels.viewport));
    for (int head = first; head <= last; ++head) {
      const QRectF tile = rectOf(head);
      const QString label = head < 0 ? labelText("mean")
                            : words  ? labelText("head %1").arg(head)
                                     : QString::number(head);
      paintLabel(painter, QRectF(tile.left() - kTileGap / 2, 0, tile.width() + kTileGap, height),
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
  painter.setClipRect(QRectF(layout.labelWidth() - 4, 0, width, height));
  paintHeads(painter, layout, labels, palette);
  painter.setClipping(false);
}

}  // namespace headlight
