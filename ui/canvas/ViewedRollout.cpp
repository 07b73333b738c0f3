// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedRollout.h"

namespace headlight {

QString describeRollout(const RolloutOptions& options) {
  const char* fusion = options.fusion == HeadFusion::Mean  ? "mean"
                       : options.fusion == HeadFusion::Max ? "maximum"
                                                           : "minimum";
  QString text = QStringLiteral("rollout · %1 of heads").arg(QLatin1String(fusion));
  if (options.discardRatio > 0)
    text += QStringLiteral(" · lowest %1 % dropped")
                .arg(QString::number(options.discardRatio * 100, 'g', 3));
  return text;
}

Legend rolloutLegend(const Document& document, const RolloutOptions& options,
                     const std::optional<MapOverlay>& map) {
  Legend legend;
  if (!document.hasModel()) return legend;
  legend.title =
      describeRollout(options) + QStringLiteral(" · ") + rolloutQuery(document.model().grid);
  if (!document.sourceNote().isEmpty() && !document.recordedView())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  legend.note = meaningNote(document);
  legend.detail = QStringLiteral("no map yet");
  if (!map) return legend;
  setRolloutRange(legend, *map, document.model());
  legend.bar = document.view().showOverlay;
  return legend;
}

void setRolloutRange(Legend& legend, const MapOverlay& map, const ModelInfo& model) {
  legend.bar = true;
  legend.colorMap = map.colorMap;
  legend.range = map.range;
  legend.detail = withMapNote(QStringLiteral("scaled to this map: %1 to %2")
                                  .arg(formatValue(map.range.low), formatValue(map.range.high)),
                              map);
  const std::string first = rolloutPreparation(model.mapIsSigned, model.mapRowsSumToOne);
  if (!first.empty()) legend.detail += QStringLiteral(" · ") + QString::fromStdString(first);
}

MapOverlay rolloutMap(const Grid& grid, const std::vector<float>& values, const ViewOptions& view) {
  MapOverlay map;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.values = values;
  map.setDrawn(drawnMap(map.values, /*isSigned=*/false, view.style, view.colorMap));
  map.smooth = view.smooth;
  return map;
}

QString rolloutQuery(const Grid& grid) {
  return grid.hasClassToken() ? QStringLiteral("class token") : QStringLiteral("mean of patches");
}

}  // namespace headlight
