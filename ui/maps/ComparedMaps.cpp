#include "ui/maps/ComparedMaps.h"

#include <QFileInfo>

#include <cmath>

#include "ui/base/ShownText.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {
namespace {

Grid gridOf(const MapLayer& map, const Document& document) {
  return {map.rows, map.cols, document.model().grid.prefix};
}

bool isSigned(const Document& document) {
  return shownMaps(*document.look(), document.view()).isSigned;
}

}  // namespace

std::optional<MapLayer> comparedMap(const Document& side, const Document& other) {
  auto map = canvasMap(side);
  const auto beside = canvasMap(other);
  if (!map || !beside) return map;
  std::vector<float> both = map->values;
  both.insert(both.end(), beside->values.begin(), beside->values.end());
  map->setDrawn(drawnIn(side.view(), both, isSigned(side) || isSigned(other)));
  return map;
}

Legend comparedLegend(const Document& side, const std::optional<MapLayer>& map, bool shared) {
  Legend legend = canvasLegend(side, map);
  if (!shared || !map || !legend.bar) return legend;
  legend.detail = withMapNote(QStringLiteral("one scale for both"), *map);
  return legend;
}

std::optional<Result<MapDifference>> differenceOf(const Document& left, const Document& right) {
  const auto leftMap = canvasMap(left), rightMap = canvasMap(right);
  if (!leftMap || !rightMap) return std::nullopt;
  return mapDifference(leftMap->values, gridOf(*leftMap, left), rightMap->values,
                       gridOf(*rightMap, right));
}

MapLayer differenceMap(const MapDifference& difference, const MapLayer& like) {
  MapLayer map = like;
  map.values = difference.values;
  map.setDrawn({MapStyle::Overlay, ColorMap::Diverging, difference.range, {}});
  return map;
}

Legend differenceLegend(const MapDifference& difference, const Grid& grid) {
  Legend legend;
  legend.title = QStringLiteral("right − left");
  legend.detail = QString::fromStdString(describeDifference(difference, grid));
  if (!std::isnan(difference.cosine))
    legend.title += QStringLiteral(" · cosine %1").arg(difference.cosine, 0, 'f', 3);
  legend.bar = true;
  legend.colorMap = ColorMap::Diverging;
  legend.range = difference.range;
  return legend;
}

bool sameClasses(const Document& left, const Document& right) {
  if (!left.look() || !right.look() || left.look()->logits.size() != right.look()->logits.size())
    return false;
  const auto &names = left.model().classNames, &others = right.model().classNames;
  return names == others || names.empty() || others.empty();
}

QString describeSide(const Document& side) {
  const ModelInfo& model = side.model();
  const QString file = QFileInfo(QString::fromStdString(model.weights.string())).fileName();
  return QStringLiteral("%1 · scheme “%2” · %3")
      .arg(file.isEmpty() ? shownName(model.experiment.model.name) : shownName(file),
           shownName(side.masks().name()), side.imageName());
}

}  // namespace headlight
