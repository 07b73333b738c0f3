// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ComparedPicture.h"

#include "ui/bridge/CompareLoader.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedMaps.h"

namespace headlight {

ComparedPicture::ComparedPicture(Document* side, const Document* other, const CompareLoader* bridge,
                                 QWidget* parent)
    : Canvas(side, parent), m_other(other), m_bridge(bridge) {
  for (const auto signal :
       {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
    connect(other, signal, this, &ComparedPicture::refreshMap);
  connect(bridge, &CompareLoader::changed, this, qOverload<>(&QWidget::update));
}

std::optional<MapOverlay> ComparedPicture::currentMap() const {
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

std::optional<MapOverlay> DifferencePicture::currentMap() const {
  m_difference.reset();
  m_problem.clear();
  if (!m_left->hasModel()) return std::nullopt;
  const auto left = mapOf(true), right = mapOf(false);
  if (!left || !right) return std::nullopt;
  const auto found = differenceOf(*left, *right);
  if (!found) {
    m_problem = QString::fromStdString(found.error().text());
    return std::nullopt;
  }
  m_difference = *found;
  return differenceMap(*m_difference, *right);
}

void DifferencePicture::setHeats(const ComparedHeatmap* left, const ComparedHeatmap* right) {
  m_leftHeat = left;
  m_rightHeat = right;
  refreshMap();
  update();
}

std::optional<MapOverlay> DifferencePicture::mapOf(bool left) const {
  const ComparedHeatmap* heat = left ? m_leftHeat : m_rightHeat;
  if (heat) return heat->ownMap();
  return canvasMap(left ? *m_left : *document());
}

Legend DifferencePicture::currentLegend() const {
  Legend legend;
  legend.title = tr("right − left");
  if (m_difference) legend = differenceLegend(*m_difference, shownGrid());
  legend.note = legendNote();
  return legend;
}

/// As the sides', so that the three pictures are level.
QString DifferencePicture::legendNote() const {
  return m_rightHeat ? m_rightHeat->legend().note : shownNote(*document());
}

QString DifferencePicture::hint() const {
  const QString text = PictureView::hint();
  if (!text.isEmpty()) return text;
  const ExplanationInfo* way = wayFromName(document()->view().way.name);
  if (m_leftHeat && way && !way->isHeatmap)
    return tr("There is no difference of colours or curves.");
  return m_problem;
}

void DifferencePicture::paintMarks(QPainter& painter) {
  drawTokenCursor(painter);
}

void DifferencePicture::patchPressed(int patch) {
  document()->pin(tokenOf(patch));
}

}  // namespace headlight
