#include "ui/widgets/LegendBar.h"

#include <QPainter>

#include <cmath>

namespace headlight {

LegendBar::LegendBar(QWidget* parent) : QWidget(parent) {
  setObjectName("legendBar");
  setAccessibleName(tr("Legend"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LegendBar::setLegend(const Legend& legend) {
  m_legend = legend;
  const QString text = legend.title + QLatin1Char('\n') + legend.detail;
  setAccessibleDescription(text);
  setToolTip(text);
  update();
}

QSize LegendBar::sizeHint() const {
  return {360, static_cast<int>(std::ceil(legendHeight(QFontMetricsF(font()))))};
}

QSize LegendBar::minimumSizeHint() const {
  return {120, sizeHint().height()};
}

void LegendBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  drawLegend(painter, rect(), m_legend, palette());
}

}  // namespace headlight
