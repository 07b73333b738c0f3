// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/LegendBar.h"

#include <QPainter>

#include <cmath>

#include "ui/base/SanitizedText.h"

namespace headlight {

LegendBar::LegendBar(QWidget* parent) : QWidget(parent) {
  setObjectName("legendBar");
  setAccessibleName(tr("Legend"));
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void LegendBar::setLegend(const Legend& legend) {
  const bool noteChanged = legend.note != m_legend.note;
  m_legend = legend;
  if (noteChanged) updateGeometry();
  const QString text = legendText(legend);
  setAccessibleDescription(text);
  setToolTip(plainToolTip(text));
  update();
}

QSize LegendBar::sizeHint() const {
  return {360, heightForWidth(360)};
}

int LegendBar::heightForWidth(int width) const {
  return static_cast<int>(std::ceil(legendHeight(QFontMetricsF(font()), m_legend.note, width)));
}

QSize LegendBar::minimumSizeHint() const {
  return {120, static_cast<int>(std::ceil(legendHeight(QFontMetricsF(font()))))};
}

void LegendBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  drawLegend(painter, rect(), m_legend, palette());
}

}  // namespace headlight
