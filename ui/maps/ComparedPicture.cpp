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
  for (const auto signal :
       {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
    connect(left, signal, this, &DifferencePicture::refreshMap);
  refreshMap();
}

std::optional<MapLayer> DifferencePicture::currentMap() const {
  m_difference.reset();
  m_problem.clear();
  const auto found = m_left->hasModel() ? differenceOf(*m_left, *document()) : std::nullopt;
  if (!found) return std::nullopt;
  if (!*found) {
    m_problem = QString::fromStdString(found->error().text());
    return std::nullopt;
  }
  m_difference = **found;
  const auto like = canvasMap(*document());
  return like ? std::optional(differenceMap(*m_difference, *like)) : std::nullopt;
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
