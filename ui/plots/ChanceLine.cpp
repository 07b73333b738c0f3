// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ChanceLine.h"

#include <QFont>
#include <QPalette>

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/plots/Plotting.h"

namespace headlight {

ChanceLine::ChanceLine(QCPAxisRect* rect)
    : m_line(new QCPItemStraightLine(rect->parentPlot())),
      m_label(new QCPItemText(rect->parentPlot())) {
  for (QCPItemPosition* point : {m_line->point1, m_line->point2, m_label->position}) {
    point->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    point->setAxisRect(rect);
    point->setTypeX(QCPItemPosition::ptAxisRectRatio);  // as wide as the rectangle
    point->setTypeY(QCPItemPosition::ptPlotCoords);
  }
  m_line->setClipAxisRect(rect);
  m_label->setClipAxisRect(rect);
  m_label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
  m_label->setPadding(QMargins(2, 0, 4, 0));
  set(std::nullopt, {});
}

void ChanceLine::set(std::optional<double> value, const QString& text) {
  m_value = value;
  const double y = value.value_or(0);
  m_line->point1->setCoords(0, y);
  m_line->point2->setCoords(1, y);
  m_label->position->setCoords(1, y);
  m_label->setText(text + QLatin1Char(' ') + QString::number(y, 'g', 3));
  m_line->setVisible(value.has_value());
  m_label->setVisible(value.has_value());
}

void ChanceLine::applyTheme(const QPalette& palette, const QFont& font) {
  const QColor quiet = mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.7);
  m_line->setPen(QPen(quiet, 1, Qt::DashLine));
  m_label->setColor(quiet);
  QFont small = font;
  small.setPointSizeF(std::max(7.0, font.pointSizeF() * 0.85));
  m_label->setFont(small);
}

}  // namespace headlight
