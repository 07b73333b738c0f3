// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ConfusionView.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/workbench/session/MapRendering.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr double kMargin = 8, kLeastForText = 26;

QColor colorOfShare(double share) {
  const auto color = colorOf(ColorMap::Viridis, share);
  return QColor(color[0], color[1], color[2]);
}

}  // namespace

ConfusionView::ConfusionView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("confusion"));
  setAccessibleName(tr("Confusion matrix: true classes by predicted classes"));
}

void ConfusionView::setReport(const ClassReport& report, const SchemeResult& result) {
  m_report = report;
  m_names.clear();
  for (const int index : report.confused)
    m_names << displayName(QString::fromStdString(findClassName(result, index)));
  update();
}

std::int64_t ConfusionView::imagesOf(int row) const {
  const auto& counts = m_report.confusion[static_cast<std::size_t>(row)];
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

double ConfusionView::labelWidth() const {
  double width = 0;
  for (const QString& name : m_names)
    width = std::max(width, QFontMetricsF(font()).horizontalAdvance(name));
  return std::min(width + 8, 140.0);
}

/// The area of the cells: squares, as large as fits.
QRectF ConfusionView::area() const {
  const double line = QFontMetricsF(font()).height();
  const QRectF room = QRectF(rect()).adjusted(kMargin + labelWidth(), kMargin + line + 4, -kMargin,
                                              -kMargin - line - 4);
  const double side = std::max(1.0, std::min(room.width(), room.height()));
  return {room.left(), room.top(), side, side};
}

QRectF ConfusionView::cellRect(int row, int column) const {
  if (row < 0 || column < 0 || row >= classes() || column >= classes()) return {};
  const QRectF all = area();
  const double side = all.width() / classes();
  return {all.left() + column * side, all.top() + row * side, side, side};
}

std::optional<std::pair<int, int>> ConfusionView::cellAt(const QPointF& position) const {
  const QRectF all = area();
  if (classes() == 0 || !all.contains(position)) return std::nullopt;
  const double side = all.width() / classes();
  const auto at = [&](double offset) {
    return std::clamp(static_cast<int>(offset / side), 0, classes() - 1);
  };
  return std::pair(at(position.y() - all.top()), at(position.x() - all.left()));
}

QString ConfusionView::describeCell(int row, int column) const {
  if (row < 0 || column < 0 || row >= classes() || column >= classes()) return {};
  const std::int64_t all = imagesOf(row);
  if (all == 0) return tr("%1: no images").arg(m_names[row]);
  const auto count =
      m_report.confusion[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  return row == column ? tr("%1: %2 of %3 images are correct").arg(m_names[row]).arg(count).arg(all)
                       : tr("%1: %2 of %3 images are predicted as %4")
                             .arg(m_names[row])
                             .arg(count)
                             .arg(all)
                             .arg(m_names[column]);
}

bool ConfusionView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto cell = cellAt(help->pos());
  if (cell)
    QToolTip::showText(help->globalPos(), plainToolTip(describeCell(cell->first, cell->second)),
                       this);
  else
    QToolTip::hideText();
  return true;
}

void ConfusionView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (classes() == 0) return;
  for (int row = 0; row < classes(); ++row) {
    const auto all = static_cast<double>(std::max<std::int64_t>(imagesOf(row), 1));
    for (int column = 0; column < classes(); ++column) {
      const QRectF cell = cellRect(row, column);
      const auto count =
          m_report.confusion[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      const double share = static_cast<double>(count) / all;
      painter.fillRect(cell, colorOfShare(share));
      if (cell.width() < kLeastForText || count == 0) continue;
      painter.setPen(share > 0.6 ? Qt::black : Qt::white);
      painter.drawText(cell, Qt::AlignCenter, QString::number(count));
    }
  }
  paintLabels(painter);
}

void ConfusionView::paintLabels(QPainter& painter) const {
  const QRectF all = area();
  const QFontMetricsF metrics(font());
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(
      QRectF(all.left(), all.top() - metrics.height() - 4, width() - all.left(), metrics.height()),
      Qt::AlignLeft, tr("predicted, in the same order →"));
  painter.drawText(QRectF(all.left(), all.bottom() + 4, width() - all.left(), metrics.height()),
                   Qt::AlignLeft, tr("color: share of the row's images"));
  if (cellRect(0, 0).height() < metrics.height() * 0.8) return;  // hovering shows the names
  for (int row = 0; row < classes(); ++row) {
    const QRectF cell = cellRect(row, 0);
    const QRectF label(kMargin, cell.top(), cell.left() - kMargin - 6, cell.height());
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(m_names[row], Qt::ElideRight, label.width()));
  }
}

}  // namespace headlight
