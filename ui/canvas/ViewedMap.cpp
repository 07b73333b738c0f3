// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedMap.h"

#include <QObject>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/canvas/ViewedDecoder.h"
#include "ui/document/MaskText.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

bool hasHead(const AttentionMaps& maps, int layer, int head) {
  if (layer < 0 || layer >= static_cast<int>(maps.layers.size())) return false;
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(layer)];
  return !of.empty() && head >= -1 && head < of.heads;
}

double prefixSum(const LayerMaps& maps, int head, int query) {
  const MapNumbers row = maps.row(head, query);
  double sum = 0;
  for (int i = 0; i < maps.grid.prefix; ++i)
    sum += row[i];
  return sum;
}

/// "one scale for all recorded steps: 0.001 to 0.12".
QString scaleText(const Document& document, const ValueRange& range) {
  const ViewOptions& view = document.view().options();
  if (!sharesSteps(document.recorded().view().get(), view))
    return document.view().describeRange(range);
  return (view.sharedRange ? QObject::tr("one scale for all heads and recorded steps: %1 to %2")
                           : QObject::tr("one scale for all recorded steps: %1 to %2"))
      .arg(formatValue(range.low), formatValue(range.high));
}

/// "inner bias B_i · "; empty where attention is shown.
QString learnedTitle(const LearnedMap* learned) {
  return learned ? coreText(learned->title) + QStringLiteral(" · ") : QString();
}

/// The source of a recorded step, then the meaning of the map.
QString recordedNote(const Document& document, const QString& meaning) {
  if (!document.recorded().view()) return meaning;
  QString text = document.recorded().view()->source;
  text[0] = text[0].toUpper();
  return meaning.isEmpty() ? text : text + QStringLiteral(". ") + meaning;
}

Legend decoderLegend(const Document& document, const std::optional<MapOverlay>& map) {
  Legend legend;
  legend.title = decoderTitle(document);
  legend.note = decoderNote(document);
  nameWeights(legend, document);
  legend.detail = QObject::tr("map hidden");
  if (!map || !document.view().options().showOverlay) return legend;
  legend.bar = true;
  legend.colorMap = map->colorMap;
  legend.range = map->range;
  legend.detail = withMapNote(QObject::tr("scaled to this map: %1 to %2")
                                  .arg(formatValue(map->range.low), formatValue(map->range.high)),
                              *map);
  return legend;
}

/// " · place (2, 3) of its 7 by 7 window", where there are windows.
QString windowTitle(const LearnedMap& learned, const Document& document) {
  const ViewOptions& view = document.view().options();
  if (!hasHead(learned.maps, view.layer, -1)) return {};
  const LayerMaps& of = learned.maps.layers[static_cast<std::size_t>(view.layer)];
  const int query = queryInLayer(view.query, document.inputs().model().grid, of.grid);
  if (query < 0 || !of.windows) return {};
  return QStringLiteral(" · ") + coreText(describeWindowPlace(of, query));
}

}  // namespace

const LearnedMap* shownLearned(const InferenceResult* inference, const ViewOptions& view) {
  if (!inference || view.learned.empty()) return nullptr;
  const auto found = std::find_if(inference->learned.begin(), inference->learned.end(),
                                  [&](const LearnedMap& map) { return map.name == view.learned; });
  return found == inference->learned.end() ? nullptr : &*found;
}

const AttentionMaps& shownMaps(const InferenceResult& inference, const ViewOptions& view) {
  const LearnedMap* learned = shownLearned(&inference, view);
  return learned ? learned->maps : inference.maps;
}

std::string nextShown(const InferenceResult& inference, const std::string& shown) {
  const std::vector<LearnedMap>& maps = inference.learned;
  std::size_t next = 0;
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (maps[i].name == shown) next = i + 1;
  return next < maps.size() ? maps[next].name : std::string();
}

bool drawnSmooth(const AttentionMaps& maps, const ViewOptions& view, int layer) {
  if (!hasHead(maps, layer, -1)) return view.smooth;
  return drawnSmooth(maps.layers[static_cast<std::size_t>(layer)], view.smooth);
}

namespace {

/// Of the maps of the heads, whatever is on the canvas.
QString headsNote(const Document& document) {
  const LearnedMap* learned = shownLearned(document.inference().get(), document.view().options());
  return learned ? recordedNote(document, coreText(learned->maps.meaning)) : meaningNote(document);
}

}  // namespace

QString shownNote(const Document& document) {
  return shownDecoderLayer(document) >= 0 ? decoderNote(document) : headsNote(document);
}

Grid gridOfLayer(const AttentionMaps& maps, int layer, const Grid& model) {
  return hasHead(maps, layer, -1) ? maps.layers[static_cast<std::size_t>(layer)].grid : model;
}

DrawnMap drawnIn(const ViewOptions& view, const std::vector<float>& values, bool isSigned) {
  return drawnMap(values, isSigned, styleOf(view.style, !view.learned.empty()), view.colorMap);
}

std::optional<DrawnMap> sharedDrawing(const AttentionMaps& maps, const Grid& model,
                                      const ViewOptions& view) {
  if (!view.sharedRange) return {};
  return drawnIn(view, seenInAllHeads(maps, model, view.query), maps.isSigned);
}

bool sharesSteps(const RecordedView* recorded, const ViewOptions& view) {
  return recorded && recorded->scales && !recorded->scales->isEmpty() && view.stepScale &&
         view.learned.empty();
}

std::optional<DrawnMap> commonDrawing(const RecordedView* recorded, const ViewOptions& view,
                                      bool isSigned, int layer, int head,
                                      const std::optional<DrawnMap>& shared) {
  if (!sharesSteps(recorded, view)) return shared;
  const ValueSummary* over = view.sharedRange ? recorded->scales->findAllHeads(view.query)
                                              : recorded->scales->find(layer, head, view.query);
  return over ? drawnFrom(*over, isSigned, view.style, view.colorMap) : shared;
}

std::optional<MapOverlay> viewedMap(const AttentionMaps& maps, const Grid& model,
                                    const ViewOptions& view, int layer, int head,
                                    const DrawnMap* shared) {
  if (!hasHead(maps, layer, head)) return {};
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(layer)];
  const int query = queryInLayer(view.query, model, of.grid);
  if (query < 0) return {};
  MapOverlay map;
  map.rows = of.grid.rows;
  map.cols = of.grid.cols;
  map.values = head < 0 ? patchesSeenBy(of, query) : patchesSeenBy(of, head, query);
  // In a recorded step, the row of this token was not kept.
  if (std::all_of(map.values.begin(), map.values.end(), [](float v) { return std::isnan(v); }))
    return {};
  map.setDrawn(shared ? drawnOn(*shared, map.values) : drawnIn(view, map.values, maps.isSigned));
  map.smooth = drawnSmooth(maps, view, layer);
  return map;
}

QRectF shownRegion(const Document& document) {
  const Image& image = document.recorded().shownImage();
  if (document.recorded().view()) return QRectF(0, 0, image.width, image.height);  // all of it
  return seenRegion(image, document.inputs().model().experiment.model);
}

std::optional<MapOverlay> canvasMap(const Document& document) {
  const auto inference = document.inference();
  if (!inference || !document.inputs().hasModel()) return {};
  if (auto decoder = decoderOverlay(document)) return decoder;
  const ViewOptions& view = document.view().options();
  const Grid& grid = document.inputs().model().grid;
  const AttentionMaps& maps = shownMaps(*inference, view);
  const auto shared = commonDrawing(document.recorded().view().get(), view, maps.isSigned,
                                    view.layer, view.head, sharedDrawing(maps, grid, view));
  return viewedMap(maps, grid, view, view.layer, view.head, shared ? &*shared : nullptr);
}

Legend canvasLegend(const Document& document, const std::optional<MapOverlay>& map) {
  if (shownDecoderLayer(document) >= 0) return decoderLegend(document, map);
  const ViewOptions& view = document.view().options();
  const auto inference = document.inference();
  const LearnedMap* learned = shownLearned(inference.get(), view);
  Legend legend;
  legend.title = learnedTitle(learned) + document.view().describe();
  if (learned) legend.title += windowTitle(*learned, document);
  legend.note = shownNote(document);
  const MaskScheme& masks = document.recorded().shownMasks();
  if (!learned && masks.contains(view.layer, view.head) &&
      masks.at(view.layer, view.head).kind != MaskKind::None)
    legend.title += QStringLiteral(" · ") + maskText(masks.at(view.layer, view.head));
  const Grid& model = document.inputs().model().grid;
  const Grid grid = inference ? gridOfLayer(inference->maps, view.layer, model) : model;
  if (grid.rows != model.rows || grid.cols != model.cols)
    legend.title += QObject::tr(" · merged to %1 × %2").arg(grid.rows).arg(grid.cols);
  nameWeights(legend, document);
  if (!map || !view.showOverlay) {
    const QString joins = joiningNote(document, view.layer);
    legend.detail = map                          ? QObject::tr("map hidden")
                    : !joins.isEmpty()           ? joins
                    : document.recorded().view() ? QObject::tr("not recorded")
                                                 : QObject::tr("no map yet");
    return legend;
  }
  legend.bar = true;
  legend.colorMap = map->colorMap;
  legend.range = map->range;
  legend.detail = withMapNote(scaleText(document, legend.range), *map);
  if (inference && grid.prefix > 0 && !learned && !inference->maps.isSigned) {
    const double share = attentionToPrefix(inference->maps, model, view) * 100;
    const QString whose =
        grid.prefix == 1 && grid.hasClassToken() ? QObject::tr(" · class token gets %1 %")
        : grid.registers > 0 && grid.hasClassToken()
            ? QObject::tr(" · class token and registers get %1 %")
        : grid.registers > 0 ? QObject::tr(" · registers get %1 %")
                             : QObject::tr(" · class and distillation tokens get %1 %");
    legend.detail += whose.arg(QString::number(share, 'f', share < 10 ? 1 : 0));
  }
  return legend;
}

void nameWeights(Legend& legend, const Document& document) {
  const QString name = document.weightsName();
  const bool named = legend.title.contains(name, Qt::CaseInsensitive) ||
                     legend.note.contains(name, Qt::CaseInsensitive);
  if (!named) legend.weights = name;
}

Legend headsLegend(const Document& document, bool captioned) {
  Legend legend;
  if (!document.inputs().hasModel()) return legend;
  const ViewOptions& view = document.view().options();
  const Grid& grid = document.inputs().model().grid;
  const auto inference = document.inference();
  const LearnedMap* learned = shownLearned(inference.get(), view);
  legend.title = QObject::tr("all heads · %1%2")
                     .arg(learnedTitle(learned), document.view().describeToken(view.query));
  // Both describe attention.
  const bool numbered = captioned && !learned;
  if (numbered) legend.title += QObject::tr(" · below each: ") + document.numbers().describe();
  if (numbered && document.recorded().shownMasks().maskableLayers() > 0)
    legend.title += QObject::tr(" and mask");
  if (learned && learned->maps.inWindows())
    legend.title += QObject::tr(" · each: the window of the query");
  legend.note = headsNote(document);
  if (!document.sourceNote().isEmpty() && !document.recorded().view())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  nameWeights(legend, document);
  legend.detail = QObject::tr("no maps yet");
  if (!inference || inference->maps.layers.empty()) return legend;
  legend.bar = true;
  const AttentionMaps& maps = shownMaps(*inference, view);
  const RecordedView* recorded = document.recorded().view().get();
  const auto common = commonDrawing(recorded, view, maps.isSigned, view.layer, view.head,
                                    sharedDrawing(maps, grid, view));
  if (const auto& shared = common; shared && view.sharedRange) {
    legend.colorMap = shared->colorMap;
    legend.range = shared->range;
    legend.detail = scaleText(document, legend.range);
    if (!shared->note.empty()) legend.detail += QStringLiteral(" · ") + coreText(shared->note);
  } else if (const auto chosen =
                 viewedMap(maps, grid, view, view.layer, view.head, common ? &*common : nullptr)) {
    legend.colorMap = chosen->colorMap;
    legend.range = chosen->range;
    legend.detail =
        withMapNote((common ? QObject::tr("each head on one scale for all recorded steps; the "
                                          "chosen one: %1 to %2")
                            : QObject::tr("each map scaled to itself; the chosen one: %1 to %2"))
                        .arg(formatValue(chosen->range.low), formatValue(chosen->range.high)),
                    *chosen);
  } else {
    legend.bar = false;
    legend.detail = QObject::tr("each map scaled to itself");
  }
  const QString joins = joiningNote(document, 0);
  if (!joins.isEmpty()) legend.detail.prepend(joins + QStringLiteral(" · "));
  return legend;
}

double attentionToPrefix(const AttentionMaps& maps, const Grid& model, const ViewOptions& view) {
  if (!hasHead(maps, view.layer, view.head)) return 0;
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(view.layer)];
  const int query = queryInLayer(view.query, model, of.grid);
  if (query < 0) return 0;
  if (view.head >= 0) return prefixSum(of, view.head, query);
  double sum = 0;
  for (int head = 0; head < of.heads; ++head)
    sum += prefixSum(of, head, query);
  return of.heads > 0 ? sum / of.heads : 0;
}

QString meaningNote(const Document& document) {
  if (!document.inputs().hasModel()) return {};
  const ModelConfig& model = document.inputs().model().experiment.model;
  const bool plain = model.backbone == "vit" || model.backbone == "swin";
  const bool expected = plain && model.mechanism == "softmax";
  return recordedNote(document,
                      expected ? QString() : coreText(document.inputs().model().mapMeaning));
}

QString joiningNote(const Document& document, int layer) {
  const auto inference = document.inference();
  if (!inference || !document.inputs().hasModel()) return {};
  const int query = document.view().options().query,
            layers = static_cast<int>(inference->maps.layers.size());
  const auto has = [&](int at) {
    const Grid& model = document.inputs().model().grid;
    return queryInLayer(query, model, gridOfLayer(inference->maps, at, model)) >= 0;
  };
  if (layer >= layers || has(layer)) return {};
  while (layer < layers && !has(layer))
    ++layer;
  return QObject::tr("the %1 joins in layer %2")
      .arg(document.view().describeToken(query))
      .arg(layer);
}

}  // namespace headlight
