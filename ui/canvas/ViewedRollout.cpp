// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedRollout.h"

#include <QObject>

#include "ui/base/CoreText.h"

namespace headlight {

QString describeRollout(const RolloutOptions& options) {
  const QString fusion = options.fusion == HeadFusion::Mean  ? QObject::tr("mean")
                         : options.fusion == HeadFusion::Max ? QObject::tr("maximum")
                                                             : QObject::tr("minimum");
  QString text = QObject::tr("rollout · %1 of heads").arg(fusion);
  if (options.discardRatio > 0)
    text += QObject::tr(" · lowest %1 % dropped")
                .arg(QString::number(options.discardRatio * 100, 'g', 3));
  return text;
}

Legend rolloutLegend(const Document& document, const RolloutOptions& options,
                     const std::optional<MapOverlay>& map) {
  Legend legend;
  if (!document.inputs().hasModel()) return legend;
  legend.title = describeRollout(options) + QStringLiteral(" · ") +
                 rolloutQuery(document.inputs().model().grid);
  if (!document.sourceNote().isEmpty() && !document.recorded().view())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  legend.note = meaningNote(document);
  nameWeights(legend, document);
  legend.detail = QObject::tr("no map yet");
  if (!map) return legend;
  setRolloutRange(legend, *map, document.inputs().model(),
                  rolloutSharesSteps(document.recorded().view().get(), document.view().options()));
  legend.bar = document.view().options().showOverlay;
  return legend;
}

bool rolloutSharesSteps(const RecordedView* recorded, const ViewOptions& view) {
  return recorded && recorded->scales && recorded->scales->rollout() && view.stepScale;
}

void setRolloutRange(Legend& legend, const MapOverlay& map, const ModelInfo& model,
                     bool overSteps) {
  legend.bar = true;
  legend.colorMap = map.colorMap;
  legend.range = map.range;
  legend.detail = withMapNote((overSteps ? QObject::tr("one scale for all recorded steps: %1 to %2")
                                         : QObject::tr("scaled to this map: %1 to %2"))
                                  .arg(formatValue(map.range.low), formatValue(map.range.high)),
                              map);
  const std::string first = rolloutPreparation(model.mapIsSigned, model.mapRowsSumToOne);
  if (!first.empty()) legend.detail += QStringLiteral(" · ") + coreText(first);
}

MapOverlay rolloutMap(const Grid& grid, const std::vector<float>& values, const ViewOptions& view,
                      const RecordedView* recorded) {
  MapOverlay map;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.values = values;
  if (rolloutSharesSteps(recorded, view))
    map.setDrawn(drawnOn(
        drawnFrom(*recorded->scales->rollout(), /*isSigned=*/false, view.style, view.colorMap),
        values));
  else
    map.setDrawn(drawnMap(map.values, /*isSigned=*/false, view.style, view.colorMap));
  map.smooth = view.smooth;
  return map;
}

QString rolloutQuery(const Grid& grid) {
  return grid.hasClassToken() ? QObject::tr("class token") : QObject::tr("mean of patches");
}

}  // namespace headlight
