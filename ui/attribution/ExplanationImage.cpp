// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attribution/ExplanationImage.h"

#include <QPainter>

#include "core/workbench/objects/ObjectMatch.h"
#include "core/workbench/objects/SegmentMatch.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/document/KnownTruth.h"

namespace headlight {
namespace {

std::vector<char> markedPatches(const Heatmap& heatmap) {
  std::vector<char> marked;
  for (const float value : heatmap.values)
    marked.push_back(value > 0 ? 1 : 0);
  return marked;
}

/// "; IoU 0.62 with cat; mask IoU 0.41 with cat": of masks where the dataset has segments.
QString overlapText(const Document& document, const Heatmap& heatmap, const BoxSides& pixels) {
  const auto& truth = document.inputs().imageTruth();
  if (!truth) return {};
  const bool segments = truth->boxes.empty() && !truth->segments.empty();
  const LabeledBoxes boxes = segments ? boxesOfClasses(truth->segments) : truth->boxes;
  QString text;
  if (const TrueBoxMatch match = bestTrueBox(pixels, boxes); match.place >= 0)
    text += QStringLiteral("; ") + displayName(matchText(match, boxes, truth->classNames));
  if (!segments) return text;
  const TrueClassMatch mask = bestTrueClass(markedPatches(heatmap), heatmap.grid, truth->segments,
                                            document.inputs().model().experiment.model);
  if (mask.label < 0) return text;
  return text + QStringLiteral("; ") + displayName(maskMatchText(mask, truth->classNames));
}

/// "box 12, 8 to 60, 72; IoU 0.62 with cat", in pixels of the image.
QString markedObjectText(const Document& document, const Heatmap& heatmap) {
  const InferenceInputs& inputs = document.inputs();
  const BoxSides pixels = pixelSides(*heatmap.box, inputs.image().width, inputs.image().height,
                                     inputs.model().experiment.model);
  return coreText(foundBoxText(pixels)) + overlapText(document, heatmap, pixels);
}

}  // namespace

ExplanationImage::ExplanationImage(Document* document, ExplanationBridge* bridge, QWidget* parent)
    : ImageView(document, parent), m_bridge(bridge) {
  setObjectName(QStringLiteral("wayImage"));
  setAccessibleName(tr("Explanation over the image"));
  connect(bridge, &ExplanationBridge::changed, this, [this] {
    refreshMap();
    update();
  });
  connect(&document->view(), &ViewState::changed, this, &ExplanationImage::refreshMap);
  refreshMap();
}

bool ExplanationImage::isOfToken() const {
  const auto result = m_bridge->result();
  return result && result->features &&
         result->choice.name == document()->view().options().method.name;
}

std::optional<Heatmap> ExplanationImage::heatmap() const {
  const auto result = m_bridge->result();
  if (!result || result->choice.name != document()->view().options().method.name) return {};
  if (result->heatmap) return result->heatmap;
  if (!result->features || !document()->inputs().hasModel()) return {};
  const int token = queryInLayer(document()->view().options().query,
                                 document()->inputs().model().grid, result->features->grid);
  const auto heatmap = tokenHeatmap(result->choice.name, *result->features, token);
  if (!heatmap) return {};
  return *heatmap;
}

std::optional<MapOverlay> ExplanationImage::currentMap() const {
  const auto shown = heatmap();
  if (!shown) return {};
  MapOverlay map;
  map.rows = shown->grid.rows;
  map.cols = shown->grid.cols;
  map.values = shown->values;
  map.setDrawn(drawnIn(document()->view().options(), map.values, shown->isSigned));
  map.smooth = document()->view().options().smooth && !shown->box;  // a mask has edges
  return map;
}

Legend ExplanationImage::currentLegend() const {
  Legend legend;
  legend.note = legendNote();
  const auto result = m_bridge->result();
  if (const auto shown = heatmap(); shown && shownMap()) {
    legend.title = coreText(heatmapTitle(*shown));
    legend.bar = document()->view().options().showOverlay;
    legend.colorMap = shownMap()->colorMap;
    legend.range = shownMap()->range;
    legend.detail = withMapNote(
        tr("scaled to this map: %1 to %2")
            .arg(formatValue(shownMap()->range.low), formatValue(shownMap()->range.high)),
        *shownMap());
    addObjectText(legend);
  } else if (result && result->colors &&
             result->choice.name == document()->view().options().method.name) {
    legend.title = coreText(findInfo(result->choice.name).title) + QStringLiteral(" · ") +
                   coreText(result->colors->note);
    legend.detail = coreText(varianceText(*result->colors));
  } else {
    legend.detail = result && !result->error.isEmpty() ? tr("no map") : tr("no map yet");
  }
  if (!document()->sourceNote().isEmpty() && !document()->recorded().view() &&
      !legend.title.isEmpty())
    legend.title += QStringLiteral(" · ") + document()->sourceNote();
  nameWeights(legend, *document());
  return legend;
}

/// Kept: captions are asked for at every move of the pointer, and segments have many pixels.
QString ExplanationImage::objectText() const {
  const auto result = m_bridge->result();
  const auto shown = heatmap();
  if (!shown || !shown->box || !document()->inputs().hasModel()) return {};
  const auto& truth = document()->inputs().imageTruth();
  if (m_objectOf != result || m_objectTruth != truth) {
    m_objectText = markedObjectText(*document(), *shown);
    m_objectOf = result;
    m_objectTruth = truth;
  }
  return m_objectText;
}

void ExplanationImage::addObjectText(Legend& legend) const {
  if (const QString text = objectText(); !text.isEmpty())
    legend.detail += QStringLiteral(" · ") + text;
}

QString ExplanationImage::legendNote() const {
  if (const auto shown = heatmap()) return coreText(heatmapMeaning(*shown));
  const ExplanationInfo* method = explanationFromName(document()->view().options().method.name);
  return method ? coreText(explanationMeaning(method->name)) : QString();
}

QString ExplanationImage::hint() const {
  QString text = ImageView::hint();
  if (!text.isEmpty()) return text;
  const auto result = m_bridge->result();
  const bool current = result && result->choice.name == document()->view().options().method.name;
  if (current && !result->error.isEmpty()) return result->error;
  if (!current && document()->inference()) return tr("Computing…");
  return {};
}

/// Feature colors replace the image; a marked object has a box.
void ExplanationImage::paintMarks(QPainter& painter) {
  const auto result = m_bridge->result();
  if (result && result->colors && result->choice.name == document()->view().options().method.name &&
      document()->view().options().showOverlay) {
    const auto& own = result->colors->images.front();
    if (m_colorsOf != result) {
      constexpr int kPixelsPerPatch = 16;
      const bool smooth = document()->view().options().smooth;
      m_colors = wrapImage(featuresImage(own, own.grid.cols * kPixelsPerPatch,
                                         own.grid.rows * kPixelsPerPatch, smooth))
                     .copy();
      m_colorsOf = result;
    }
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, document()->view().options().smooth);
    painter.drawImage(regionRect(), m_colors);
    painter.restore();
  }
  if (result && result->heatmap && result->heatmap->box &&
      result->choice.name == document()->view().options().method.name) {
    drawTruth(painter, viewedTruth(*document(), regionRect()));
    drawFoundBox(painter, regionRect(), *result->heatmap->box);
  }
  if (isOfToken()) drawTokenCursor(painter);
}

void ExplanationImage::patchPressed(int patch) {
  if (isOfToken() && patch >= 0) document()->view().pin(tokenOf(patch));
}

void ExplanationImage::patchHovered(int patch) {
  if (!isOfToken()) return;
  if (patch >= 0 && document()->inputs().hasModel())
    document()->view().follow(tokenOf(patch));
  else
    document()->view().endFollowing();
}

}  // namespace headlight
