// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ErrorMapPlot.h"

#include <QEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "core/workbench/session/Images.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

/// As in figures: 0 is dark, 1 and above bright.
QCPColorGradient errorGradient() {
  constexpr int kStops = 9;
  QCPColorGradient gradient;
  gradient.clearColorStops();
  for (int i = 0; i < kStops; ++i) {
    const double at = static_cast<double>(i) / (kStops - 1);
    const auto color = colorOf(ColorMap::Viridis, at);
    gradient.setColorStopAt(at, QColor(color[0], color[1], color[2]));
  }
  return gradient;
}

}  // namespace

ErrorMapPlot::ErrorMapPlot(QWidget* parent)
    : QWidget(parent),
      m_plot(new QCustomPlot(this)),
      m_map(new QCPColorMap(m_plot->xAxis, m_plot->yAxis)),
      m_scale(new QCPColorScale(m_plot)) {
  setObjectName(QStringLiteral("errorMap"));
  setAccessibleName(tr("Error of every frequency after every step"));
  m_plot->setAccessibleName(accessibleName());
  m_plot->setToolTip(
      tr("Relative error of each frequency of the fit against the kernel: dark means learned. Low "
         "frequencies are learned first."));
  m_plot->setMinimumSize(320, 120);
  m_plot->plotLayout()->addElement(0, 1, m_scale);
  m_map->setColorScale(m_scale);
  m_map->setGradient(errorGradient());
  m_map->setDataRange(QCPRange(0, 1));
  m_map->setInterpolate(false);
  m_map->setTightBoundary(false);
  m_map->setName(tr("relative error"));
  m_scale->setLabel(tr("relative error"));
  m_scale->setBarWidth(10);
  m_scale->setRangeDrag(false);
  m_scale->setRangeZoom(false);
  m_plot->xAxis->setLabel(tr("log10 of the step"));
  m_plot->yAxis->setLabel(tr("frequency, periods per turn"));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis})
    axis->grid()->setVisible(false);
  auto* margins = new QCPMarginGroup(m_plot);
  m_plot->axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, margins);
  m_scale->setMarginGroup(QCP::msTop | QCP::msBottom, margins);
  m_plot->setMouseTracking(true);
  m_plot->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  applyTheme();
}

void ErrorMapPlot::setFit(const AngularFit& fit) {
  m_fit = fit;
  const int steps = static_cast<int>(fit.steps.size()),
            frequencies = static_cast<int>(fit.frequencies.size());
  m_map->data()->setSize(steps, frequencies);
  const double last = std::log10(std::max(2, fit.steps.back()));
  m_map->data()->setRange(QCPRange(0, last), QCPRange(0, frequencies - 1));
  const QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  for (int f = 0; f < frequencies; ++f) {
    ticks->addTick(f, QString::number(fit.frequencies[static_cast<std::size_t>(f)]));
    for (int s = 0; s < steps; ++s)
      m_map->data()->setCell(s, f,
                             fit.error(static_cast<std::size_t>(f), static_cast<std::size_t>(s)));
  }
  m_plot->yAxis->setTicker(ticks);
  m_plot->xAxis->setRange(0, last);
  m_plot->yAxis->setRange(-0.5, frequencies - 0.5);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

QString ErrorMapPlot::textAt(const QPointF& position) const {
  if (m_fit.steps.empty() || !m_plot->axisRect()->rect().contains(position.toPoint())) return {};
  int step = 0, row = 0;
  m_map->data()->coordToCell(m_plot->xAxis->pixelToCoord(position.x()),
                             m_plot->yAxis->pixelToCoord(position.y()), &step, &row);
  step = std::clamp(step, 0, static_cast<int>(m_fit.steps.size()) - 1);
  row = std::clamp(row, 0, static_cast<int>(m_fit.frequencies.size()) - 1);
  const auto s = static_cast<std::size_t>(step), f = static_cast<std::size_t>(row);
  return tr("frequency %1 · step %2: relative error %3")
      .arg(m_fit.frequencies[f])
      .arg(m_fit.steps[s])
      .arg(m_fit.error(f, s), 0, 'g', 3);
}

bool ErrorMapPlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseMove) {
    const auto* move = static_cast<QMouseEvent*>(event);
    const QString text = textAt(move->position());
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(move->globalPosition().toPoint(), text, m_plot);
  }
  return QWidget::eventFilter(watched, event);
}

void ErrorMapPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  for (QCPAxis* axis : {m_scale->axis()}) {
    axis->setTickLabelColor(m_plot->xAxis->tickLabelColor());
    axis->setLabelColor(m_plot->xAxis->labelColor());
    axis->setTickLabelFont(m_plot->xAxis->tickLabelFont());
    axis->setLabelFont(m_plot->xAxis->labelFont());
    axis->setBasePen(Qt::NoPen);
    axis->setSubTickPen(Qt::NoPen);
  }
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ErrorMapPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

}  // namespace headlight
