// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ComparedImage.h"
#include "ui/base/CoreText.h"

#include "ui/bridge/CompareLoader.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedMaps.h"

namespace headlight {

ComparedImage::ComparedImage(Document* side, const Document* other, const CompareLoader* bridge,
                             QWidget* parent)
    : Canvas(side, parent), m_other(other), m_bridge(bridge) {
  connect(&other->inputs(), &InferenceInputs::modelChanged, this, &ComparedImage::refreshMap);
  connect(other, &Document::inferenceChanged, this, &ComparedImage::refreshMap);
  connect(&other->view(), &ViewState::changed, this, &ComparedImage::refreshMap);
  connect(bridge, &CompareLoader::changed, this, qOverload<>(&QWidget::update));
}

std::optional<MapOverlay> ComparedImage::currentMap() const {
  return comparedMap(*document(), *m_other);
}

Legend ComparedImage::currentLegend() const {
  return comparedLegend(*document(), shownMap(), canvasMap(*m_other).has_value());
}

QString ComparedImage::hint() const {
  if (m_bridge->isBusy() && !document()->inference()) return tr("Computing…");
  return m_bridge->problem().isEmpty() ? ImageView::hint() : m_bridge->problem();
}

DifferenceImage::DifferenceImage(const Document* left, Document* right, QWidget* parent)
    : ImageView(right, parent), m_left(left) {
  setAccessibleName(tr("Difference: right minus left"));
  connect(&left->inputs(), &InferenceInputs::modelChanged, this, &DifferenceImage::refreshMap);
  connect(left, &Document::inferenceChanged, this, &DifferenceImage::refreshMap);
  connect(&left->view(), &ViewState::changed, this, &DifferenceImage::refreshMap);
  refreshMap();
}

std::optional<MapOverlay> DifferenceImage::currentMap() const {
  m_difference.reset();
  m_problem.clear();
  if (!m_left->inputs().hasModel()) return std::nullopt;
  const auto left = mapOf(true), right = mapOf(false);
  if (!left || !right) return std::nullopt;
  const auto found = subtractMaps(*left, *right);
  if (!found) {
    m_problem = QString::fromStdString(found.error().text());
    return std::nullopt;
  }
  m_difference = *found;
  return differenceMap(*m_difference, *right);
}

void DifferenceImage::setHeatmaps(const ComparedHeatmap* left, const ComparedHeatmap* right) {
  m_leftHeatmap = left;
  m_rightHeatmap = right;
  refreshMap();
  update();
}

std::optional<MapOverlay> DifferenceImage::mapOf(bool left) const {
  const ComparedHeatmap* heatmap = left ? m_leftHeatmap : m_rightHeatmap;
  if (heatmap) return heatmap->ownMap();
  return canvasMap(left ? *m_left : *document());
}

Legend DifferenceImage::currentLegend() const {
  Legend legend;
  legend.title = tr("right − left");
  if (m_difference) legend = differenceLegend(*m_difference, shownGrid());
  legend.note = legendNote();
  return legend;
}

/// The same as the sides', so that the three images are level.
QString DifferenceImage::legendNote() const {
  return m_rightHeatmap ? m_rightHeatmap->legend().note : shownNote(*document());
}

QString DifferenceImage::hint() const {
  QString text = ImageView::hint();
  if (!text.isEmpty()) return text;
  const ExplanationInfo* method = explanationFromName(document()->view().options().method.name);
  if (m_leftHeatmap && method && !method->isHeatmap())
    return tr("No difference is defined for %1.").arg(coreText(method->title));
  return m_problem;
}

void DifferenceImage::paintMarks(QPainter& painter) {
  drawTokenCursor(painter);
}

void DifferenceImage::patchPressed(int patch) {
  document()->view().pin(tokenOf(patch));
}

}  // namespace headlight
