#include "ui/compare/ComparedWay.h"

#include "core/workbench/session/Comparison.h"
#include "core/workbench/session/Prediction.h"
#include "ui/bridge/SideBridge.h"
#include "ui/bridge/WaysBridge.h"
#include "ui/attribution/DepthPlot.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {

ComparedHeat::ComparedHeat(Document* side, WaysBridge* ways, const SideBridge* bridge,
                           QWidget* parent)
    : WayPicture(side, ways, parent), m_bridge(bridge) {
  connect(bridge, &SideBridge::changed, this, qOverload<>(&QWidget::update));
}

void ComparedHeat::setOther(const ComparedHeat* other) {
  m_other = other;
}

bool ComparedHeat::sharesScale() const {
  return m_other && heat() && m_other->heat();
}

std::optional<MapLayer> ComparedHeat::currentMap() const {
  auto map = ownMap();
  if (!map || !sharesScale()) return map;
  const Heat mine = *heat(), others = *m_other->heat();
  const ViewOptions& view = document()->view();
  map->setDrawn(drawnTogether(mine.values, others.values, mine.isSigned || others.isSigned,
                              view.style, view.colorMap));
  return map;
}

Legend ComparedHeat::currentLegend() const {
  Legend legend = WayPicture::currentLegend();
  if (legend.bar && shownMap() && sharesScale())
    legend.detail = withMapNote(tr("one scale for both"), *shownMap());
  return legend;
}

QString ComparedHeat::hint() const {
  if (m_bridge->isBusy() && !document()->look()) return tr("Looking…");
  return m_bridge->problem().isEmpty() ? WayPicture::hint() : m_bridge->problem();
}

ComparedWay::ComparedWay(Document* side, SideBridge* bridge, QWidget* parent)
    : QStackedWidget(parent),
      m_document(side),
      m_bridge(bridge),
      m_ways(new WaysBridge(
          side, [bridge] { return bridge->session(); }, this)),
      m_heat(new ComparedHeat(side, m_ways, bridge, this)),
      m_depth(new RunCurvesPlot(this)) {
  m_depth->setAccessibleName(tr("Prediction by depth"));
  addWidget(m_heat);
  addWidget(m_depth);
  for (const auto signal :
       {&Document::lookChanged, &Document::staleChanged, &Document::viewChanged})
    connect(side, signal, this, &ComparedWay::request);
  connect(m_ways, &WaysBridge::changed, this, &ComparedWay::refresh);
  connect(bridge, &SideBridge::changed, this, &ComparedWay::refresh);
}

void ComparedWay::setOther(ComparedWay* other) {
  m_other = other;
  m_heat->setOther(other->m_heat);
  connect(other->m_ways, &WaysBridge::changed, this, &ComparedWay::refresh);
}

void ComparedWay::showEvent(QShowEvent* event) {
  QStackedWidget::showEvent(event);
  request();
}

/// A hidden side costs nothing.
void ComparedWay::request() {
  refresh();
  if (isVisible()) m_ways->request();
}

void ComparedWay::refresh() {
  const WayInfo* way = wayFromName(m_document->view().way.name);
  const bool depth = way && way->way == Way::Depth;
  setCurrentWidget(depth ? static_cast<QWidget*>(m_depth) : m_heat);
  if (!depth || !m_document->hasModel()) return;
  const bool comparable = m_other && m_other->m_document->hasModel() &&
                          sameClasses(m_document->model(), m_other->m_document->model());
  showDepth(*m_depth, *m_document, *m_ways, comparable ? m_other->m_ways : nullptr);
  if (!m_bridge->problem().isEmpty()) m_depth->setLines({}, {}, {}, m_bridge->problem());
}

}  // namespace headlight
