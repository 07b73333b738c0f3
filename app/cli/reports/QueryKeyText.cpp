// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/QueryKeyText.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/pairs/QueryKeyFigure.h"

namespace headlight::cli {
namespace {

Json indexOrNull(int index) {
  return index < 0 ? Json(nullptr) : Json(index);
}

Json gridJson(const Grid& grid) {
  return {{"rows", grid.rows}, {"columns", grid.cols}, {"prefix_tokens", grid.prefix}};
}

Json imagesJson(const QueryKeyMap& map, const std::vector<std::filesystem::path>& files) {
  Json list = Json::array();
  for (const QueryKeyImage& image : map.images) {
    const auto at = static_cast<std::size_t>(image.index);
    list.push_back({{"index", image.index},
                    {"file", at < files.size() ? Json(files[at].string()) : Json(nullptr)},
                    {"class", indexOrNull(image.label)},
                    {"query_grid", gridJson(image.queries)},
                    {"key_grid", gridJson(image.keys)}});
  }
  return list;
}

Json pointsJson(const QueryKeyMap& map) {
  Json list = Json::array();
  for (const QueryKeyPoint& point : map.points)
    list.push_back({{"image", map.images[static_cast<std::size_t>(point.image)].index},
                    {"role", point.isKey ? "key" : "query"},
                    {"token", point.token},
                    {"row", indexOrNull(point.row)},
                    {"column", indexOrNull(point.column)},
                    {"x", point.x},
                    {"y", point.y},
                    {"norm", point.norm}});
  return list;
}

/// NaN (not known) becomes null.
Json distanceJson(const DistanceAgreement& agreement) {
  return {{"product", agreement.product}, {"attention", agreement.weight}};
}

}  // namespace

void printQueryKeyMap(const QueryKeyMap& map, Terminal& terminal) {
  terminal.print(queryKeyTitle(map));
  terminal.print("  " + queryKeyText(map));
  terminal.print(tr("  aligned: queries times ") + numberText(map.scale) +
                 tr(", keys moved and divided by it; mean norms before: queries ") +
                 numberText(map.queryNorm) + tr(", keys ") + numberText(map.keyNorm));
  terminal.print("  " + std::to_string(map.points.size()) + tr(" points, ") +
                 std::to_string(map.pairs) + tr(" pairs compared"));
  for (const std::string& note : map.notes)
    terminal.print("  " + note);
}

Json queryKeyJson(const QueryKeyMap& map, const std::vector<std::filesystem::path>& files) {
  return {{"layer", map.layer},
          {"head", map.head},
          {"width", map.width},
          {"images", imagesJson(map, files)},
          {"explained_variance", map.shares},
          {"alignment",
           {{"scale", map.scale},
            {"translation", map.translation},
            {"query_norm", map.queryNorm},
            {"key_norm", map.keyNorm}}},
          {"spearman", {{"map", distanceJson(map.plane)}, {"space", distanceJson(map.space)}}},
          {"pairs", map.pairs},
          {"notes", map.notes},
          {"unread", map.fed.unread},
          {"points", pointsJson(map)}};
}

}  // namespace headlight::cli
