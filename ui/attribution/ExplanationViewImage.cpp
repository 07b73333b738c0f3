// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationView, continued: its picture, a heatmap over what is shown, or colours in its place.

#include <QPainter>

#include "ui/attribution/ExplanationView.h"
#include "ui/base/Images.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/canvas/ViewedMap.h"

namespace headlight {

ExplanationImage::ExplanationImage(Document* document, ExplanationBridge* bridge, QWidget* parent)
    : PictureView(document, parent), m_bridge(bridge) {
  setObjectName(QStringLiteral("wayPicture"));
  setAccessibleName(tr("The way of looking over the picture"));
  connect(bridge, &ExplanationBridge::changed, this, [this] {
    refreshMap();
    update();
  });
  connect(document, &Document::viewChanged, this, &ExplanationImage::refreshMap);
  refreshMap();
}

bool ExplanationImage::isSimilarity() const {
  const auto result = m_bridge->result();
  return result && result->features && result->choice.name == document()->view().way.name;
}

std::optional<Heatmap> ExplanationImage::heat() const {
  const auto result = m_bridge->result();
  if (!result || result->choice.name != document()->view().way.name) return {};
  if (result->heat) return result->heat;
  if (!result->features || !document()->hasModel()) return {};
  const int token =
      queryInLayer(document()->view().query, document()->model().grid, result->features->grid);
  const auto heat = similarityHeat(*result->features, token);
  if (!heat) return {};
  return *heat;
}

std::optional<MapOverlay> ExplanationImage::currentMap() const {
  const auto shown = heat();
  if (!shown) return {};
  MapOverlay map;
  map.rows = shown->grid.rows;
  map.cols = shown->grid.cols;
  map.values = shown->values;
  map.setDrawn(drawnIn(document()->view(), map.values, shown->isSigned));
  map.smooth = document()->view().smooth;
  return map;
}

Legend ExplanationImage::currentLegend() const {
  Legend legend;
  legend.note = legendNote();
  const auto result = m_bridge->result();
  if (const auto shown = heat(); shown && shownMap()) {
    legend.title = QString::fromStdString(heatTitle(*shown));
    legend.bar = document()->view().showOverlay;
    legend.colorMap = shownMap()->colorMap;
    legend.range = shownMap()->range;
    legend.detail = withMapNote(
        tr("scaled to this map: %1 to %2")
            .arg(formatValue(shownMap()->range.low), formatValue(shownMap()->range.high)),
        *shownMap());
  } else if (result && result->colors && result->choice.name == document()->view().way.name) {
    legend.title = tr("feature colours · %1").arg(QString::fromStdString(result->colors->note));
    legend.detail = QString::fromStdString(varianceText(*result->colors));
  } else {
    legend.detail = result && !result->error.isEmpty() ? tr("no map") : tr("no map yet");
  }
  if (!document()->sourceNote().isEmpty() && !document()->recordedView() && !legend.title.isEmpty())
    legend.title += QStringLiteral(" · ") + document()->sourceNote();
  return legend;
}

QString ExplanationImage::legendNote() const {
  if (const auto shown = heat()) return QString::fromStdString(heatMeaning(*shown));
  const ExplanationInfo* way = wayFromName(document()->view().way.name);
  return way ? QString::fromStdString(wayMeaning(way->way)) : QString();
}

QString ExplanationImage::hint() const {
  QString text = PictureView::hint();
  if (!text.isEmpty()) return text;
  const auto result = m_bridge->result();
  const bool current = result && result->choice.name == document()->view().way.name;
  if (current && !result->error.isEmpty()) return result->error;
  if (!current && document()->look()) return tr("Looking…");
  return {};
}

/// Colours have no picture below them: they take its place.
void ExplanationImage::paintMarks(QPainter& painter) {
  const auto result = m_bridge->result();
  if (result && result->colors && result->choice.name == document()->view().way.name &&
      document()->view().showOverlay) {
    const auto& own = result->colors->pictures.front();
    if (m_colorsOf != result) {
      constexpr int kPixelsPerPatch = 16;
      const bool smooth = document()->view().smooth;
      m_colors = wrapImage(featuresImage(own, own.grid.cols * kPixelsPerPatch,
                                         own.grid.rows * kPixelsPerPatch, smooth))
                     .copy();
      m_colorsOf = result;
    }
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, document()->view().smooth);
    painter.drawImage(regionRect(), m_colors);
    painter.restore();
  }
  if (isSimilarity()) drawTokenCursor(painter);
}

void ExplanationImage::patchPressed(int patch) {
  if (isSimilarity() && patch >= 0) document()->pin(tokenOf(patch));
}

void ExplanationImage::patchHovered(int patch) {
  if (!isSimilarity()) return;
  if (patch >= 0 && document()->hasModel())
    document()->follow(tokenOf(patch));
  else
    document()->endFollowing();
}

}  // namespace headlight
