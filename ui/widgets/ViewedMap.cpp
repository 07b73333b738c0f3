#include "ui/widgets/ViewedMap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/commands/MaskText.h"

namespace headlight {
namespace {

bool hasHead(const AttentionMaps& maps, int layer, int head) {
  if (layer < 0 || layer >= static_cast<int>(maps.layers.size())) return false;
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(layer)];
  return !of.empty() && head >= -1 && head < of.heads;
}

double prefixSum(const LayerMaps& maps, int head, int query) {
  const float* row = maps.row(head, query);
  double sum = 0;
  for (int i = 0; i < maps.grid.prefix; ++i)
    sum += row[i];
  return sum;
}

}  // namespace

int queryInLayer(int query, const Grid& model, const Grid& layer) {
  if (model == layer) return std::clamp(query, 0, std::max(0, layer.tokens() - 1));
  if (query < model.prefix) return query < layer.prefix ? query : -1;
  const int patch = std::min(query - model.prefix, model.patches() - 1);
  const int row = patch / model.cols * layer.rows / model.rows;
  const int col = patch % model.cols * layer.cols / model.cols;
  return layer.prefix + row * layer.cols + col;
}

Grid gridOfLayer(const AttentionMaps& maps, int layer, const Grid& model) {
  return hasHead(maps, layer, -1) ? maps.layers[static_cast<std::size_t>(layer)].grid : model;
}

ValueRange sharedRange(const AttentionMaps& maps, const Grid& model, int query) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const LayerMaps& layer : maps.layers) {
    if (layer.empty()) continue;
    const int token = queryInLayer(query, model, layer.grid);
    if (token < 0) continue;
    for (int head = 0; head < layer.heads; ++head) {
      const float* row = layer.row(head, token) + layer.grid.prefix;
      for (int i = 0; i < layer.grid.patches(); ++i) {
        if (!std::isfinite(row[i])) continue;
        low = std::min<double>(low, row[i]);
        high = std::max<double>(high, row[i]);
      }
    }
  }
  if (low > high) return {0, 1};
  if (!maps.isSigned) return {low, high};
  const double bound = std::max(std::abs(low), std::abs(high));
  return {-bound, bound};
}

ColorMap colorMapFor(const AttentionMaps& maps, const ViewOptions& view) {
  return maps.isSigned ? ColorMap::Diverging : view.colorMap;
}

std::optional<MapLayer> viewedMap(const AttentionMaps& maps, const Grid& model,
                                  const ViewOptions& view, int layer, int head,
                                  const ValueRange* shared) {
  if (!hasHead(maps, layer, head)) return {};
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(layer)];
  const int query = queryInLayer(view.query, model, of.grid);
  if (query < 0) return {};
  MapLayer map;
  map.rows = of.grid.rows;
  map.cols = of.grid.cols;
  map.values = head < 0 ? patchesSeenBy(of, query) : patchesSeenBy(of, head, query);
  map.range = shared ? *shared : rangeOf(map.values, maps.isSigned);
  map.colorMap = colorMapFor(maps, view);
  map.smooth = view.smooth;
  return map;
}

QString editSideName(EditSide side) {
  if (side == EditSide::Before) return QStringLiteral("before");
  return side == EditSide::After ? QStringLiteral("after") : QStringLiteral("after − before");
}

std::optional<MapLayer> editedMap(const Look* before, const Look* after, const Grid& model,
                                  const ViewOptions& view, EditSide side) {
  std::optional<MapLayer> then, now;
  // Until the edit's own look arrives, before and after are the same one.
  if (before && before != after)
    then = viewedMap(before->maps, model, view, view.layer, view.head, nullptr);
  if (after) now = viewedMap(after->maps, model, view, view.layer, view.head, nullptr);
  if (now && then && now->values.size() != then->values.size()) then.reset();
  if (!now || !then) return side == EditSide::After ? now : std::nullopt;
  if (side == EditSide::Difference) {
    for (std::size_t i = 0; i < now->values.size(); ++i)
      now->values[i] -= then->values[i];
    now->range = rangeOf(now->values, true);
    now->colorMap = ColorMap::Diverging;
    return now;
  }
  const ValueRange both{std::min(now->range.low, then->range.low),
                        std::max(now->range.high, then->range.high)};
  std::optional<MapLayer>& chosen = side == EditSide::Before ? then : now;
  chosen->range = both;
  return chosen;
}

Legend editLegend(const Document& document) {
  Legend legend;
  if (!document.hasModel()) return legend;
  legend.title = document.describeView();
  legend.detail = QStringLiteral(
      "before and after share one scale; the difference has its own, 0 in the middle");
  legend.note = meaningNote(document);
  return legend;
}

std::optional<MapLayer> canvasMap(const Document& document) {
  const auto look = document.look();
  if (!look || !document.hasModel()) return {};
  const ViewOptions& view = document.view();
  const Grid& grid = document.model().grid;
  std::optional<ValueRange> shared;
  if (view.sharedRange) shared = sharedRange(look->maps, grid, view.query);
  return viewedMap(look->maps, grid, view, view.layer, view.head, shared ? &*shared : nullptr);
}

Legend canvasLegend(const Document& document, const std::optional<MapLayer>& map) {
  const ViewOptions& view = document.view();
  Legend legend;
  legend.title = document.describeView();
  legend.note = meaningNote(document);
  const MaskScheme& masks = document.masks();
  if (masks.contains(view.layer, view.head) &&
      masks.at(view.layer, view.head).kind != MaskKind::None)
    legend.title += QStringLiteral(" · ") + maskText(masks.at(view.layer, view.head));
  const auto look = document.look();
  const Grid& model = document.model().grid;
  const Grid grid = look ? gridOfLayer(look->maps, view.layer, model) : model;
  if (grid.rows != model.rows || grid.cols != model.cols)
    legend.title += QStringLiteral(" · merged to %1 × %2").arg(grid.rows).arg(grid.cols);
  if (!map || !view.showOverlay) {
    const QString joins = joiningNote(document, view.layer);
    legend.detail = map               ? QStringLiteral("map hidden")
                    : joins.isEmpty() ? QStringLiteral("no map yet")
                                      : joins;
    return legend;
  }
  legend.bar = true;
  legend.colorMap = map->colorMap;
  legend.range = map->range;
  legend.detail = document.describeRange(legend.range);
  if (look && grid.prefix > 0 && !look->maps.isSigned) {
    const double share = attentionToPrefix(look->maps, model, view) * 100;
    const QString whose = grid.prefix == 1
                              ? QStringLiteral(" · class token gets %1 %")
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
  legend.title = QStringLiteral("all heads · %1 · below each: locality (ALS)")
                     .arg(document.describeToken(view.query));
  if (document.masks().maskableLayers() > 0) legend.title += QStringLiteral(" and mask");
  legend.note = meaningNote(document);
  if (!document.sourceNote().isEmpty())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  const auto look = document.look();
  legend.detail = QStringLiteral("no maps yet");
  if (!look || look->maps.layers.empty()) return legend;
  legend.bar = true;
  legend.colorMap = colorMapFor(look->maps, view);
  if (view.sharedRange) {
    legend.range = sharedRange(look->maps, grid, view.query);
    legend.detail = document.describeRange(legend.range);
  } else if (const auto chosen =
                 viewedMap(look->maps, grid, view, view.layer, view.head, nullptr)) {
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
  if (plain && model.mechanism == "softmax") return {};  // what anybody expects
  return QString::fromStdString(document.model().mapMeaning);
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
                     const std::optional<MapLayer>& map) {
  Legend legend;
  if (!document.hasModel()) return legend;
  legend.title =
      describeRollout(options) + QStringLiteral(" · ") + rolloutQuery(document.model().grid);
  if (!document.sourceNote().isEmpty())
    legend.title += QStringLiteral(" · ") + document.sourceNote();
  legend.note = meaningNote(document);
  legend.detail = QStringLiteral("no map yet");
  if (!map) return legend;
  setRolloutRange(legend, *map, document.model().mapIsSigned);
  legend.bar = document.view().showOverlay;
  return legend;
}

void setRolloutRange(Legend& legend, const MapLayer& map, bool isSigned) {
  legend.bar = true;
  legend.colorMap = map.colorMap;
  legend.range = map.range;
  legend.detail = QStringLiteral("scaled to this map: %1 to %2")
                      .arg(formatValue(map.range.low), formatValue(map.range.high));
  if (isSigned) legend.detail += QStringLiteral(" · signed maps clamped at 0, rows normalised");
}

MapLayer rolloutMap(const Grid& grid, const std::vector<float>& values, const ViewOptions& view) {
  MapLayer map;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.values = values;
  map.range = rangeOf(map.values);
  map.colorMap = view.colorMap;
  map.smooth = view.smooth;
  return map;
}

QString rolloutQuery(const Grid& grid) {
  return grid.prefix > 0 ? QStringLiteral("class token") : QStringLiteral("mean of patches");
}

}  // namespace headlight
