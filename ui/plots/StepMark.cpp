// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/StepMark.h"

#include "ui/plots/Plotting.h"

namespace headlight {

StepMark::StepMark(const QList<QCPAxisRect*>& rects, const QString& layer) {
  for (QCPAxisRect* rect : rects) {
    auto* line = new QCPItemStraightLine(rect->parentPlot());
    for (QCPItemPosition* point : {line->point1, line->point2}) {
      point->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
      point->setTypeX(QCPItemPosition::ptPlotCoords);
      point->setTypeY(QCPItemPosition::ptAxisRectRatio);  // as high as the rectangle
      point->setAxisRect(rect);
    }
    line->setClipAxisRect(rect);
    if (!layer.isEmpty()) line->setLayer(layer);
    line->setVisible(false);
    m_lines << line;
  }
}

void StepMark::setStep(std::optional<double> step) {
  m_step = step;
  for (QCPItemStraightLine* line : m_lines) {
    line->setVisible(step.has_value());
    line->point1->setCoords(step.value_or(0), 0);
    line->point2->setCoords(step.value_or(0), 1);
  }
}

void StepMark::setPen(const QPen& pen) {
  for (QCPItemStraightLine* line : m_lines)
    line->setPen(pen);
}

}  // namespace headlight
