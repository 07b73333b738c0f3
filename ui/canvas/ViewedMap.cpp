// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedMap.h"

#include <algorithm>
#include <cmath>

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

/// "inner bias B_i · "; empty where attention is shown.
QString learnedTitle(const LearnedMap* learned) {
  return learned ? QString::fromStdString(learned->title) + QStringLiteral(" · ") : QString();
}

/// Of a recorded step, that it is one; then what the map means.
QString recordedNote(const Document& document, const QString& meaning) {
  if (!document.recordedView()) return meaning;
  QString text = document.recordedView()->source;
  text[0] = text[0].toUpper();
  return meaning.isEmpty() ? text : text + QStringLiteral(". ") + meaning;
}

/// " · place (2, 3) of its 7 by 7 window", where there are windows.
QString windowTitle(const LearnedMap& learned, const Document& document) {
  const ViewOptions& view = document.view();
  if (!hasHead(learned.maps, view.layer, -1)) return {};
  const LayerMaps& of = learned.maps.layers[static_cast<std::size_t>(view.layer)];
  const int query = queryInLayer(view.query, document.model().grid, of.grid);
  if (query < 0 || !of.windows) return {};
  return QStringLiteral(" · ") + QString::fromStdString(describeWindowPlace(of, query));
}

}  // namespace

const LearnedMap* shownLearned(const InferenceResult* look, const ViewOptions& view) {
  if (!look || view.learned.empty()) return nullptr;
  const auto found = std::find_if(look->learned.begin(), look->learned.end(),
                                  [&](const LearnedMap& map) { return map.name == view.learned; });
  return found == look->learned.end() ? nullptr : &*found;
}

const AttentionMaps& shownMaps(const InferenceResult& look, const ViewOptions& view) {
  const LearnedMap* learned = shownLearned(&look, view);
  return learned ? learned->maps : look.maps;
}

std::string nextShown(const InferenceResult& look, const std::string& shown) {
  const std::vector<LearnedMap>& maps = look.learned;
  std::size_t next = 0;
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (maps[i].name == shown) next = i + 1;
  return next < maps.size() ? maps[next].name : std::string();
}

bool drawnSmooth(const AttentionMaps& maps, const ViewOptions& view, int layer) {
  if (!hasHead(maps, layer, -1)) return view.smooth;
  return drawnSmooth(maps.layers[static_cast<std::size_t>(layer)], view.smooth);
}

QString shownNote(const Document& document) {
  const LearnedMap* learned = shownLearned(document.look().get(), document.view());
  return learned ? recordedNote(document, QString::fromStdString(learned->maps.meaning))
                 : meaningNote(document);
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
  // Of a recorded step: the row of this token was not kept.
  if (std::all_of(map.values.begin(), map.values.end(), [](float v) { return std::isnan(v); }))
    return {};
  map.setDrawn(shared ? *shared : drawnIn(view, map.values, maps.isSigned));
  map.smooth = drawnSmooth(maps, view, layer);
  return map;
}

QRectF shownRegion(const Document& document) {
  const Image& image = document.shownImage();
  if (document.recordedView()) return QRectF(0, 0, image.width, image.height);  // all of it
  return seenRegion(image, document.model().experiment.model);
}

std::optional<MapOverlay> canvasMap(const Document& document) {
  const auto look = document.look();
  if (!look || !document.hasModel()) return {};
  const ViewOptions& view = document.view();
  const Grid& grid = document.model().grid;
  const AttentionMaps& maps = shownMaps(*look, view);
  const auto shared = sharedDrawing(maps, grid, view);
  return viewedMap(maps, grid, view, view.layer, view.head, shared ? &*shared : nullptr);
}

Legend canvasLegend(const Document& document, const std::optional<MapOverlay>& map) {
  const ViewOptions& view = document.view();
  const auto look = document.look();
  const LearnedMap* learned = shownLearned(look.get(), view);
  Legend legend;
  legend.title = learnedTitle(learned) + document.describeView();
  if (learned) legend.title += windowTitle(*learned, document);
  legend.note = shownNote(document);
  const MaskScheme& masks = document.shownMasks();
  if (!learned && masks.contains(view.layer, view.head) &&
      masks.at(view.layer, view.head).kind != MaskKind::None)
    legend.title += QStringLiteral(" · ") + maskText(masks.at(view.layer, view.head));
  const Grid& model = document.model().grid;
  const Grid grid = look ? gridOfLayer(look->maps, view.layer, model) : model;
  if (grid.rows != model.rows || grid.cols != model.cols)
    legend.title += QStringLiteral(" · merged to %1 × %2").arg(grid.rows).arg(grid.cols);
  if (!map || !view.showOverlay) {
    const QString joins = joiningNote(document, view.layer);
    legend.detail = map                       ? QStringLiteral("map hidden")
                    : !joins.isEmpty()        ? joins
                    : document.recordedView() ? QStringLiteral("not recorded")
                                              : QStringLiteral("no map yet");
    return legend;
  }
  legend.bar = true;
  legend.colorMap = map->colorMap;
  legend.range = map->range;
  legend.detail = withMapNote(document.describeRange(legend.range), *map);
  if (look && grid.prefix > 0 && !learned && !look->maps.isSigned) {
    const double share = attentionToPrefix(look->maps, model, view) * 100;
    const QString whose =
        grid.prefix == 1 && grid.hasClassToken() ? QStringLiteral(" · class token gets %1 %")
        : grid.registers > 0 && grid.hasClassToken()
            ? QStringLiteral(" · class token and registers get %1 %")
        : grid.registers > 0 ? QStringLiteral(" · registers get %1 %")
                             : QStringLiteral(" · class and distillation tokens get %1 %");
    legend.detail += whose.arg(QString::number(share, 'f', share < 10 ? 1 : 0));
  }
  return legend;
}

Legend headsLegend(const Document& document) {
  Legend legend;
  if (!document.hasModel()) return legend;
  const ViewOptions& view = document.view();
  const Grid& grid = document.model().grid;
  const auto look = document.look();
  const LearnedMap* learned = shownLearned(look.get(), view);
  legend.title = QStringLiteral("all heads · %1%2")
                     .arg(learnedTitle(learned), document.describeToken(view.query));
  // Both are of attention.
  if (!learned) legend.title += QStringLiteral(" · below each: ") + document.describeNumbers();
  if (!learned && document.shownMasks().maskableLayers() > 0)
    legend.title += QStringLiteral(" and mask");
  if (learned && learned->maps.inWindows())
    legend.title += QStringLiteral(" · each: the window of the query");
  legend.note = shownNote(document);
  if (!document.sourceNote().isEmpty() && !document.recordedView())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  legend.detail = QStringLiteral("no maps yet");
  if (!look || look->maps.layers.empty()) return legend;
  legend.bar = true;
  const AttentionMaps& maps = shownMaps(*look, view);
  if (const auto shared = sharedDrawing(maps, grid, view)) {
    legend.colorMap = shared->colorMap;
    legend.range = shared->range;
    legend.detail = document.describeRange(legend.range);
    if (!shared->note.empty())
      legend.detail += QStringLiteral(" · ") + QString::fromStdString(shared->note);
  } else if (const auto chosen = viewedMap(maps, grid, view, view.layer, view.head, nullptr)) {
    legend.colorMap = chosen->colorMap;
    legend.range = chosen->range;
    legend.detail = QStringLiteral("each map scaled to itself; the chosen one: %1 to %2")
                        .arg(formatValue(chosen->range.low), formatValue(chosen->range.high));
  } else {
    legend.bar = false;
    legend.detail = QStringLiteral("each map scaled to itself");
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
  if (!document.hasModel()) return {};
  const ModelConfig& model = document.model().experiment.model;
  const bool plain = model.backbone == "vit" || model.backbone == "swin";
  const bool expected = plain && model.mechanism == "softmax";
  return recordedNote(document,
                      expected ? QString() : QString::fromStdString(document.model().mapMeaning));
}

QString joiningNote(const Document& document, int layer) {
  const auto look = document.look();
  if (!look || !document.hasModel()) return {};
  const int query = document.view().query, layers = static_cast<int>(look->maps.layers.size());
  const auto has = [&](int at) {
    const Grid& model = document.model().grid;
    return queryInLayer(query, model, gridOfLayer(look->maps, at, model)) >= 0;
  };
  if (layer >= layers || has(layer)) return {};
  while (layer < layers && !has(layer))
    ++layer;
  return QStringLiteral("the %1 joins in layer %2").arg(document.describeToken(query)).arg(layer);
}

}  // namespace headlight
