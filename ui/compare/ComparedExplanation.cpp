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

ComparedHeatmap::ComparedHeatmap(Document* side, ExplanationBridge* explanations,
                                 const CompareLoader* bridge, QWidget* parent)
    : ExplanationImage(side, explanations, parent), m_bridge(bridge) {
  connect(bridge, &CompareLoader::changed, this, qOverload<>(&QWidget::update));
}

void ComparedHeatmap::setOther(const ComparedHeatmap* other) {
  m_other = other;
}

bool ComparedHeatmap::sharesScale() const {
  return m_other && heatmap() && m_other->heatmap();
}

std::optional<MapOverlay> ComparedHeatmap::currentMap() const {
  auto map = ownMap();
  if (!map || !sharesScale()) return map;
  const Heatmap mine = *heatmap(), others = *m_other->heatmap();
  const ViewOptions& view = document()->view().options();
  map->setDrawn(drawnTogether(mine.values, others.values, mine.isSigned || others.isSigned,
                              view.style, view.colorMap));
  return map;
}

Legend ComparedHeatmap::currentLegend() const {
  Legend legend = ExplanationImage::currentLegend();
  if (!legend.bar || !shownMap() || !sharesScale()) return legend;
  legend.detail = withMapNote(tr("one scale for both"), *shownMap());
  addObjectText(legend);
  return legend;
}

QString ComparedHeatmap::hint() const {
  if (m_bridge->isBusy() && !document()->inference()) return tr("Computing…");
  return m_bridge->problem().isEmpty() ? ExplanationImage::hint() : m_bridge->problem();
}

ComparedExplanation::ComparedExplanation(Document* side, CompareLoader* bridge, QWidget* parent)
    : QStackedWidget(parent),
      m_document(side),
      m_bridge(bridge),
      m_explanations(new ExplanationBridge(
          side, [bridge] { return bridge->session(); }, this)),
      m_heatmap(new ComparedHeatmap(side, m_explanations, bridge, this)),
      m_depth(new RunCurvesPlot(this)) {
  m_depth->setAccessibleName(tr("Class probabilities by layer"));
  addWidget(m_heatmap);
  addWidget(m_depth);
  connect(side, &Document::inferenceChanged, this, &ComparedExplanation::request);
  connect(side, &Document::staleChanged, this, &ComparedExplanation::request);
  connect(&side->view(), &ViewState::changed, this, &ComparedExplanation::request);
  connect(m_explanations, &ExplanationBridge::changed, this, &ComparedExplanation::refresh);
  connect(bridge, &CompareLoader::changed, this, &ComparedExplanation::refresh);
}

void ComparedExplanation::setOther(ComparedExplanation* other) {
  m_other = other;
  m_heatmap->setOther(other->m_heatmap);
  connect(other->m_explanations, &ExplanationBridge::changed, this, &ComparedExplanation::refresh);
}

void ComparedExplanation::showEvent(QShowEvent* event) {
  QStackedWidget::showEvent(event);
  request();
}

/// A hidden side computes nothing.
void ComparedExplanation::request() {
  refresh();
  if (isVisible()) m_explanations->request();
}

void ComparedExplanation::refresh() {
  const ExplanationInfo* method = explanationFromName(m_document->view().options().method.name);
  const bool depth = method && method->kind == ExplanationKind::Curve;
  setCurrentWidget(depth ? static_cast<QWidget*>(m_depth) : m_heatmap);
  if (!depth || !m_document->inputs().hasModel()) return;
  const bool comparable =
      m_other && m_other->m_document->inputs().hasModel() &&
      sameClasses(m_document->inputs().model(), m_other->m_document->inputs().model());
  showDepth(*m_depth, *m_document, *m_explanations, comparable ? m_other->m_explanations : nullptr);
  if (!m_bridge->problem().isEmpty()) m_depth->setLines({}, {}, {}, m_bridge->problem());
}

}  // namespace headlight
