// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/LocalityPlot.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/workbench/session/Images.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

QCPColorGradient viridis() {
  QCPColorGradient gradient;
  gradient.clearColorStops();
  for (int i = 0; i <= 16; ++i) {
    const auto [red, green, blue] = colorOf(ColorMap::Viridis, i / 16.0);
    gradient.setColorStopAt(i / 16.0, QColor(red, green, blue));
  }
  gradient.setNanHandling(QCPColorGradient::nhTransparent);
  return gradient;
}

/// At most about six labels of whole numbers.
void setTickStep(QCPAxis* axis, int count) {
  axis->ticker().staticCast<QCPAxisTickerFixed>()->setTickStep(std::max(1, (count + 5) / 6));
}

/// Locality is a share: what fits [low, high] with some room, nothing below 0 unless there is.
QCPRange fitted(double low, double high) {
  if (low > high) return {0, 1};
  const double room = std::max(0.06 * (high - low), 0.005);
  return {low >= 0 ? std::max(0.0, low - room) : low - room, high + room};
}

}  // namespace

LocalityPlot::LocalityPlot(QWidget* parent)
    : QWidget(parent),
      m_choice(new QComboBox(this)),
      m_lines(new QCustomPlot(this)),
      m_strip(new QCustomPlot(this)) {
  setObjectName(QStringLiteral("localityPlot"));
  setAccessibleName(tr("Locality scores by layer over steps"));
  m_choice->setObjectName(QStringLiteral("localityLayer"));
  m_choice->setAccessibleName(tr("Layer whose heads are drawn"));
  m_choice->setToolTip(tr("Every layer as the mean over its heads, or one layer head by head"));
  m_lines->setToolTip(
      tr("ALS, the share of attention that patch tokens give to their own 3×3 "
         "neighborhood (MaiT Eq. 3), on the probe images. The dashed line is the ALS of uniform "
         "attention: the share of all tokens that the neighborhoods have, on average. "
         "Dotted lines: mask edits.\n"
         "The wheel zooms, dragging moves, a double click shows everything. By keys: Left and "
         "Right read values, + and − zoom, 0 shows everything."));
  m_lines->setAccessibleName(accessibleName());
  m_strip->setToolTip(
      tr("ALS of every head at the newest measurement, or at the step that the evolution slider "
         "shows: layers down, heads across. The arrow keys read it cell by cell."));
  m_strip->setAccessibleName(tr("Locality score of every head"));
  m_lines->setMinimumSize(160, 90);
  m_strip->setMinimumSize(172, 90);  // labels, some cells and the scale
  m_strip->setMaximumWidth(320);

  auto* header = new QHBoxLayout;
  header->setContentsMargins(4, 0, 4, 0);
  header->addWidget(new QLabel(tr("Locality (ALS)"), this));
  header->addWidget(m_choice);
  header->addStretch(1);
  auto* plots = new QHBoxLayout;
  plots->setContentsMargins(0, 0, 0, 0);
  plots->setSpacing(0);
  plots->addWidget(m_lines, 3);
  plots->addWidget(m_strip, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(header);
  layout->addLayout(plots, 1);

  buildLines();
  buildStrip();
  fillLayerChoice();
  applyTheme();
  connect(m_choice, &QComboBox::currentIndexChanged, this,
          [this](int index) { setShownLayer(index - 1); });
}

void LocalityPlot::buildLines() {
  m_lines->setAutoAddPlottableToLegend(false);
  m_lines->yAxis->setRange(0, 1);
  m_lines->yAxis->ticker()->setTickCount(3);
  m_lines->xAxis->ticker()->setTickCount(4);
  m_lines->xAxis->setNumberFormat(QStringLiteral("g"));
  m_lines->xAxis->setLabel(tr("step"));
  m_lines->axisRect()->setMinimumMargins(QMargins(4, 6, 4, 4));
  m_legend = addLegendColumn(m_lines);
  m_mark.emplace(QList<QCPAxisRect*>{m_lines->axisRect()});
  m_uniform.emplace(m_lines->axisRect());
  m_edits = new EditMarks(m_lines, {m_lines->axisRect()});
  m_lineNavigation = new PlotNavigation(m_lines, {m_lines->axisRect()});
}

void LocalityPlot::buildStrip() {
  m_map = new QCPColorMap(m_strip->xAxis, m_strip->yAxis);
  m_scale = new QCPColorScale(m_strip);
  m_scale->setBarWidth(8);
  m_strip->plotLayout()->addElement(0, 1, m_scale);
  m_strip->plotLayout()->setColumnSpacing(2);
  m_map->setName(tr("ALS"));
  m_map->setColorScale(m_scale);
  m_map->setGradient(viridis());
  m_map->setDataRange(QCPRange(0, 1));
  m_map->setInterpolate(false);
  m_map->setTightBoundary(false);
  m_scale->axis()->ticker()->setTickCount(3);
  m_strip->yAxis->setRangeReversed(true);
  m_strip->xAxis->setLabel(tr("head"));
  m_strip->yAxis->setLabel(tr("layer"));
  for (QCPAxis* axis : {m_strip->xAxis, m_strip->yAxis}) {
    axis->grid()->setVisible(false);
    axis->setTicker(QSharedPointer<QCPAxisTickerFixed>::create());  // heads and layers are whole
    axis->setNumberFormat(QStringLiteral("f"));
    axis->setNumberPrecision(0);
  }
  m_strip->axisRect()->setMinimumMargins(QMargins(4, 6, 2, 4));
  auto* margins = new QCPMarginGroup(m_strip);
  m_strip->axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, margins);
  m_scale->setMarginGroup(QCP::msTop | QCP::msBottom, margins);
  m_stripNavigation = new PlotNavigation(m_strip, {m_strip->axisRect()});
  m_scale->setRangeDrag(false);
  m_scale->setRangeZoom(false);
  m_strip->setVisible(false);
}

void LocalityPlot::applyTheme() {
  for (QCustomPlot* plot : {m_lines, m_strip})
    applyPlotTheme(plot, palette(), font());
  m_mark->setPen(QPen(palette().color(QPalette::Highlight), 2));
  m_uniform->applyTheme(palette(), font());
  m_edits->applyTheme(palette(), font());
  for (PlotNavigation* navigation : {m_lineNavigation, m_stripNavigation})
    navigation->applyTheme(palette());
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() * 0.85));
  m_scale->axis()->setTickLabelFont(small);
  m_scale->axis()->setTickLabelColor(m_strip->xAxis->tickLabelColor());
  for (QCPAxis* axis : {m_scale->axis()}) {
    axis->setBasePen(Qt::NoPen);
    axis->setTickPen(m_strip->xAxis->tickPen());
    axis->setSubTickPen(Qt::NoPen);
  }
  m_graphsFor = -2;
  rebuildGraphs();
}

void LocalityPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  replot();
}

// --- Data --------------------------------------------------------------------------------------

void LocalityPlot::clear() {
  m_history.clear();
  m_edits->clear();
  m_shown.reset();
  m_lineNavigation->showEverything();
  replot();
}

void LocalityPlot::add(const HeadPoint& point) {
  m_history.add(point);
}

void LocalityPlot::setUniform(std::optional<double> locality) {
  if (locality == m_uniform->value()) return;
  m_uniform->set(locality, tr("uniform attention"));
  replot();
}

void LocalityPlot::setShown(HeadHistory::Point point) {
  m_shown = std::move(point);
  replot();
}

void LocalityPlot::setShownLayer(int layer) {
  layer = std::clamp(layer, -1, static_cast<int>(m_layers) - 1);
  if (layer == m_layer) return;
  m_layer = layer;
  const QSignalBlocker blocker(m_choice);
  m_choice->setCurrentIndex(layer + 1);
  replot();
}

void LocalityPlot::fillLayerChoice() {
  const std::size_t layers = m_history.isEmpty() ? 0 : m_history.newest().locality.size();
  if (m_choice->count() > 0 && layers == m_layers) return;
  m_layers = layers;
  m_layer = std::min(m_layer, static_cast<int>(layers) - 1);
  const QSignalBlocker blocker(m_choice);
  m_choice->clear();
  m_choice->addItem(tr("every layer, mean of heads"));
  for (std::size_t l = 0; l < layers; ++l)
    m_choice->addItem(tr("layer %1 by head").arg(l));
  m_choice->setCurrentIndex(m_layer + 1);
  m_graphsFor = -2;
}

int LocalityPlot::lineCount() const {
  if (m_history.isEmpty()) return 0;
  const auto& newest = m_history.newest().locality;
  return static_cast<int>(m_layer < 0 ? newest.size() : newest[m_layer].size());
}

QString LocalityPlot::lineName(int line) const {
  return m_layer < 0 ? tr("L%1").arg(line) : tr("head %1").arg(line);
}

double LocalityPlot::valueAt(const HeadPoint& point, int line) const {
  const auto at = static_cast<std::size_t>(m_layer < 0 ? line : m_layer);
  if (at >= point.locality.size()) return kNothing;
  const std::vector<float>& heads = point.locality[at];
  if (m_layer >= 0) return static_cast<std::size_t>(line) < heads.size() ? heads[line] : kNothing;
  double sum = 0;
  for (const float value : heads)
    sum += value;
  return heads.empty() ? kNothing : sum / static_cast<double>(heads.size());
}

// --- Drawing -----------------------------------------------------------------------------------

void LocalityPlot::rebuildGraphs() {
  const int lines = lineCount();
  if (m_graphsFor == m_layer && m_lines->graphCount() == lines) return;
  m_graphsFor = m_layer;
  QStringList names;
  for (int i = 0; i < lines; ++i)
    names << lineName(i);
  // Layers have an order, heads do not.
  makeLines(m_lines, m_legend, names, m_layer < 0, palette());
  applyPlotTheme(m_lines, palette(), font());
}

void LocalityPlot::drawLines() {
  rebuildGraphs();
  double last = 1, low = std::numeric_limits<double>::infinity(), high = -low;
  for (int line = 0; line < m_lines->graphCount(); ++line) {
    QVector<double> keys, values;
    for (const auto& point : m_history.points()) {
      keys.append(static_cast<double>(point->step));
      values.append(valueAt(*point, line));
      low = std::fmin(low, values.last());  // of a number and nothing, the number
      high = std::fmax(high, values.last());
    }
    if (!keys.isEmpty()) last = std::max(last, keys.last());
    setLine(m_lines->graph(line), keys, values);
  }
  if (const auto uniform = m_uniform->value(); uniform && low <= high) {
    low = std::min(low, *uniform);
    high = std::max(high, *uniform);
  }
  m_lines->yAxis->setRange(fitted(low, high));
  m_lineNavigation->setFullRange(0, 1.02 * last);
  m_mark->setStep(m_shown ? std::optional(static_cast<double>(m_shown->step)) : std::nullopt);
  m_lines->replot(QCustomPlot::rpQueuedReplot);
}

/// One scale for all heads and all measurements, so that colors mean the same along the slider.
void LocalityPlot::fitColors() {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& point : m_history.points())
    for (const auto& layer : point->locality)
      for (const float value : layer) {
        low = std::fmin(low, value);
        high = std::fmax(high, value);
      }
  m_map->setDataRange(fitted(low, high));
}

void LocalityPlot::drawStrip() {
  m_strip->setVisible(!m_history.isEmpty());
  if (!m_history.isEmpty()) {
    const auto& locality = (m_shown ? *m_shown : m_history.newest()).locality;
    std::size_t heads = 1;
    for (const auto& layer : locality)
      heads = std::max(heads, layer.size());
    const auto layers = static_cast<int>(std::max<std::size_t>(locality.size(), 1));
    m_map->data()->setSize(static_cast<int>(heads), layers);
    m_map->data()->setRange(QCPRange(0, static_cast<double>(heads) - 1), QCPRange(0, layers - 1.0));
    for (int l = 0; l < layers; ++l)
      for (std::size_t h = 0; h < heads; ++h) {
        const bool exists = static_cast<std::size_t>(l) < locality.size() && h < locality[l].size();
        m_map->data()->setCell(static_cast<int>(h), l, exists ? locality[l][h] : kNothing);
      }
    fitColors();
    m_stripNavigation->setFullRange(-0.5, static_cast<double>(heads) - 0.5);
    m_strip->yAxis->setRange(-0.5, layers - 0.5);
    setTickStep(m_strip->xAxis, static_cast<int>(heads));
    setTickStep(m_strip->yAxis, layers);
  }
  m_strip->replot(QCustomPlot::rpQueuedReplot);
}

void LocalityPlot::replot() {
  fillLayerChoice();
  drawLines();
  drawStrip();
}

}  // namespace headlight
