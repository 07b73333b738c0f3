#include "ui/plots/PlotTheme.h"

#include <algorithm>
#include <array>

#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

QColor between(const QColor& a, const QColor& b, double share) {
  const auto channel = [share](double x, double y) {
    return std::clamp(static_cast<int>(x + share * (y - x) + 0.5), 0, 255);
  };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

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

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Base).lightnessF() < 0.5;
}

QColor seriesColor(int index, const QPalette& palette) {
  static const std::array<QColor, 7> colors{QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00),
                                            QColor(0x00, 0x9e, 0x73), QColor(0xcc, 0x79, 0xa7),
                                            QColor(0xe6, 0x9f, 0x00), QColor(0x56, 0xb4, 0xe9),
                                            QColor(0x7f, 0x7f, 0x7f)};
  const QColor color = colors[static_cast<std::size_t>(index) % colors.size()];
  return isDark(palette) ? between(color, Qt::white, 0.3) : color;
}

QColor sequenceColor(double position, const QPalette& palette) {
  // Viridis at five places; its ends are drawn in so that neither vanishes on black or on white.
  static const std::array<QColor, 5> stops{QColor(68, 1, 84), QColor(59, 82, 139),
                                           QColor(33, 145, 140), QColor(94, 201, 98),
                                           QColor(253, 231, 37)};
  const double low = isDark(palette) ? 0.18 : 0.0, high = isDark(palette) ? 1.0 : 0.88;
  const double at = (low + std::clamp(position, 0.0, 1.0) * (high - low)) * (stops.size() - 1);
  const auto index = std::min<std::size_t>(static_cast<std::size_t>(at), stops.size() - 2);
  return between(stops[index], stops[index + 1], at - static_cast<double>(index));
}

void applyPlotTheme(QCustomPlot* plot, const QPalette& palette, const QFont& baseFont) {
  const QColor base = palette.color(QPalette::Base), ink = palette.color(QPalette::Text);
  const QColor line = between(base, ink, 0.45), text = between(base, ink, 0.85),
               grid = between(base, ink, 0.1);
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
