// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ComparedExplanation.h"

#include "core/workbench/session/Prediction.h"
#include "core/workbench/session/PredictionComparison.h"
#include "ui/attribution/DepthPlot.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {

ComparedHeatmap::ComparedHeatmap(Document* side, ExplanationBridge* ways,
                                 const CompareLoader* bridge, QWidget* parent)
    : ExplanationImage(side, ways, parent), m_bridge(bridge) {
  connect(bridge, &CompareLoader::changed, this, qOverload<>(&QWidget::update));
}

void ComparedHeatmap::setOther(const ComparedHeatmap* other) {
  m_other = other;
}

bool ComparedHeatmap::sharesScale() const {
  return m_other && heat() && m_other->heat();
}

std::optional<MapOverlay> ComparedHeatmap::currentMap() const {
  auto map = ownMap();
  if (!map || !sharesScale()) return map;
  const Heatmap mine = *heat(), others = *m_other->heat();
  const ViewOptions& view = document()->view();
  map->setDrawn(drawnTogether(mine.values, others.values, mine.isSigned || others.isSigned,
                              view.style, view.colorMap));
  return map;
}

Legend ComparedHeatmap::currentLegend() const {
  Legend legend = ExplanationImage::currentLegend();
  if (legend.bar && shownMap() && sharesScale())
    legend.detail = withMapNote(tr("one scale for both"), *shownMap());
  return legend;
}

QString ComparedHeatmap::hint() const {
  if (m_bridge->isBusy() && !document()->look()) return tr("Looking…");
  return m_bridge->problem().isEmpty() ? ExplanationImage::hint() : m_bridge->problem();
}

ComparedExplanation::ComparedExplanation(Document* side, CompareLoader* bridge, QWidget* parent)
    : QStackedWidget(parent),
      m_document(side),
      m_bridge(bridge),
      m_ways(new ExplanationBridge(
          side, [bridge] { return bridge->session(); }, this)),
      m_heat(new ComparedHeatmap(side, m_ways, bridge, this)),
      m_depth(new RunCurvesPlot(this)) {
  m_depth->setAccessibleName(tr("Prediction by depth"));
  addWidget(m_heat);
  addWidget(m_depth);
  for (const auto signal :
       {&Document::lookChanged, &Document::staleChanged, &Document::viewChanged})
    connect(side, signal, this, &ComparedExplanation::request);
  connect(m_ways, &ExplanationBridge::changed, this, &ComparedExplanation::refresh);
  connect(bridge, &CompareLoader::changed, this, &ComparedExplanation::refresh);
}

void ComparedExplanation::setOther(ComparedExplanation* other) {
  m_other = other;
  m_heat->setOther(other->m_heat);
  connect(other->m_ways, &ExplanationBridge::changed, this, &ComparedExplanation::refresh);
}

void ComparedExplanation::showEvent(QShowEvent* event) {
  QStackedWidget::showEvent(event);
  request();
}

/// A hidden side costs nothing.
void ComparedExplanation::request() {
  refresh();
  if (isVisible()) m_ways->request();
}

void ComparedExplanation::refresh() {
  const ExplanationInfo* way = wayFromName(m_document->view().way.name);
  const bool depth = way && way->way == ExplanationMethod::Depth;
  setCurrentWidget(depth ? static_cast<QWidget*>(m_depth) : m_heat);
  if (!depth || !m_document->hasModel()) return;
  const bool comparable = m_other && m_other->m_document->hasModel() &&
                          sameClasses(m_document->model(), m_other->m_document->model());
  showDepth(*m_depth, *m_document, *m_ways, comparable ? m_other->m_ways : nullptr);
  if (!m_bridge->problem().isEmpty()) m_depth->setLines({}, {}, {}, m_bridge->problem());
}

}  // namespace headlight
