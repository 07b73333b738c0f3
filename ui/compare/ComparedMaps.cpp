// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ComparedMaps.h"

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/canvas/ViewedMap.h"

namespace headlight {
namespace {

bool isSigned(const Document& document) {
  return shownMaps(*document.inference(), document.view().options()).isSigned;
}

}  // namespace

std::optional<MapOverlay> comparedMap(const Document& side, const Document& other) {
  auto map = canvasMap(side);
  const auto beside = canvasMap(other);
  if (!map || !beside) return map;
  const ViewOptions& view = side.view().options();
  map->setDrawn(drawnTogether(map->values, beside->values, isSigned(side) || isSigned(other),
                              styleOf(view.style, !view.learned.empty()), view.colorMap));
  return map;
}

Legend comparedLegend(const Document& side, const std::optional<MapOverlay>& map, bool shared) {
  Legend legend = canvasLegend(side, map);
  if (!shared || !map || !legend.bar) return legend;
  legend.detail = withMapNote(QObject::tr("one scale for both"), *map);
  return legend;
}

Result<MapDifference> subtractMaps(const MapOverlay& left, const MapOverlay& right) {
  return mapDifference(left.values, {left.rows, left.cols, 0}, right.values,
                       {right.rows, right.cols, 0});
}

MapOverlay differenceMap(const MapDifference& difference, const MapOverlay& like) {
  MapOverlay map = like;
  map.values = difference.values;
  map.setDrawn(drawnDifference(difference));
  return map;
}

Legend differenceLegend(const MapDifference& difference, const Grid& grid) {
  Legend legend;
  legend.title = QObject::tr("right − left");
  legend.detail = coreText(describeDifference(difference, grid));
  const std::string cosine = describeCosine(difference);
  if (!cosine.empty()) legend.title += QStringLiteral(" · ") + coreText(cosine);
  legend.bar = true;
  legend.colorMap = ColorMap::Diverging;
  legend.range = difference.range;
  return legend;
}

QString describeSide(const Document& side) {
  return QObject::tr("%1 · scheme “%2” · %3")
      .arg(side.modelTitle(), displayName(schemeTitle(side.recorded().shownMasks())),
           side.recorded().shownImageName());
}

}  // namespace headlight
