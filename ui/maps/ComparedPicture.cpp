#include "ui/maps/ComparedPicture.h"

#include "ui/bridge/SideBridge.h"
#include "ui/maps/ComparedMaps.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {

ComparedPicture::ComparedPicture(Document* side, const Document* other, const SideBridge* bridge,
                                 QWidget* parent)
    : Canvas(side, parent), m_other(other), m_bridge(bridge) {
  for (const auto signal :
       {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
    connect(other, signal, this, &ComparedPicture::refreshMap);
  connect(bridge, &SideBridge::changed, this, qOverload<>(&QWidget::update));
}

std::optional<MapLayer> ComparedPicture::currentMap() const {
  return comparedMap(*document(), *m_other);
}

Legend ComparedPicture::currentLegend() const {
  return comparedLegend(*document(), shownMap(), canvasMap(*m_other).has_value());
}

QString ComparedPicture::hint() const {
  if (m_bridge->isBusy() && !document()->look()) return tr("Looking…");
  return m_bridge->problem().isEmpty() ? PictureView::hint() : m_bridge->problem();
}

DifferencePicture::DifferencePicture(const Document* left, Document* right, QWidget* parent)
    : PictureView(right, parent), m_left(left) {
  setAccessibleName(tr("Difference: right minus left"));
  for (const Document* side : {left, static_cast<const Document*>(right)})
    for (const auto signal :
         {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
      connect(side, signal, this, &DifferencePicture::refreshDifference);
  refreshDifference();
}

/// Before the picture asks for its map.
void DifferencePicture::refreshDifference() {
  m_difference.reset();
  m_problem.clear();
  if (m_left->hasModel() && document()->hasModel()) {
    const auto found = differenceOf(*m_left, *document());
    if (found && *found) m_difference = **found;
    if (found && !*found) m_problem = QString::fromStdString(found->error().text());
  }
  refreshMap();
}

std::optional<MapLayer> DifferencePicture::currentMap() const {
  const auto like = m_difference ? canvasMap(*document()) : std::nullopt;
  if (!like) return std::nullopt;
  return differenceMap(*m_difference, *like);
}

Legend DifferencePicture::currentLegend() const {
  if (m_difference) return differenceLegend(*m_difference, shownGrid());
  Legend legend;
  legend.title = tr("right − left");
  return legend;
}

QString DifferencePicture::hint() const {
  const QString text = PictureView::hint();
  return text.isEmpty() ? m_problem : text;
}

void DifferencePicture::paintMarks(QPainter& painter) {
  drawTokenCursor(painter);
}

void DifferencePicture::patchPressed(int patch) {
  document()->pin(tokenOf(patch));
}

}  // namespace headlight
