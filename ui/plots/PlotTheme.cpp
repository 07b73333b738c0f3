// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotTheme.h"

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

void themeAxis(QCPAxis* axis, const QColor& line, const QColor& text, const QColor& grid,
               const QFont& font) {
  axis->setBasePen(line);
  axis->setTickPen(line);
  axis->setSubTickPen(line);
  axis->setTickLengthIn(0);
  axis->setTickLengthOut(3);
  axis->setSubTickLength(0, 0);
  axis->setTickLabelColor(text);
  axis->setLabelColor(text);
  axis->setTickLabelFont(font);
  axis->setLabelFont(font);
  axis->setLabelPadding(2);
  axis->grid()->setPen(QPen(grid, 1));
  axis->grid()->setZeroLinePen(QPen(grid, 1));
  axis->grid()->setSubGridVisible(false);
}

}  // namespace

void applyPlotTheme(QCustomPlot* plot, const QPalette& palette, const QFont& baseFont) {
  const QColor base = palette.color(QPalette::Base), ink = palette.color(QPalette::Text);
  const QColor line = mixed(base, ink, 0.45), text = mixed(base, ink, 0.85),
               grid = mixed(base, ink, 0.1);
  QFont font = baseFont;
  font.setPointSizeF(std::max(7.0, baseFont.pointSizeF() * 0.85));
  plot->setBackground(base);
  for (QCPAxisRect* rect : plot->axisRects())
    for (QCPAxis* axis : rect->axes())
      themeAxis(axis, line, text, grid, font);
  QList<QCPLegend*> legends = plot->findChildren<QCPLegend*>();
  for (QCPLegend* legend : legends) {
    QColor fill = base;
    fill.setAlpha(200);
    legend->setBrush(fill);
    legend->setBorderPen(Qt::NoPen);
    legend->setTextColor(text);
    legend->setFont(font);
    legend->setIconSize(14, 8);
    legend->setRowSpacing(0);
    legend->setColumnSpacing(8);
    legend->setMargins(QMargins(4, 2, 4, 2));
  }
}

void applyTrainingPens(QCPGraph* raw, QCPGraph* smooth, QCPGraph* validation,
                       const QPalette& palette) {
  const QColor train = seriesColor(0, palette), dots = seriesColor(1, palette);
  QColor faint = train;
  faint.setAlpha(70);
  raw->setPen(QPen(faint, 1));
  smooth->setPen(QPen(train, 2));
  validation->setPen(QPen(dots, 2));
  validation->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, dots, dots, 5));
}

}  // namespace headlight
