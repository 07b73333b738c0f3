// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pretraining/KeptAttention.h"

#include <algorithm>
#include <limits>

#include "core/base/Translation.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {
namespace {

constexpr double kKeptOpacity = 0.6;

/// The place of the query among the kept tokens.
int keptPlaceOf(const KeptAttention& attention, const KeptQuery& query) {
  if (query.token < 0 || query.token >= attention.grid.tokens())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the token must be from 0 to ") + std::to_string(attention.grid.tokens() - 1),
                   "query"});
  if (query.head < -1 || query.head >= attention.heads)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the head must be from 0 to ") + std::to_string(attention.heads - 1),
                   "head"});
  const int place = attention.places[static_cast<std::size_t>(query.token)];
  if (place >= 0) return place;
  throw Failure({ErrorCode::InvalidArgument,
                 tokenText(query.token, attention.grid) +
                     tr(" is dropped and attends to nothing; choose a kept patch, or another seed"),
                 "query"});
}

/// What one head, or the mean of all, gives the kept tokens.
std::vector<float> rowAmongKept(const KeptAttention& attention, int place, int head) {
  const auto kept = static_cast<std::size_t>(attention.kept());
  std::vector<float> row(kept);
  const int first = std::max(head, 0), count = head < 0 ? attention.heads : 1;
  for (int h = first; h < first + count; ++h) {
    const std::size_t start =
        (static_cast<std::size_t>(h) * kept + static_cast<std::size_t>(place)) * kept;
    for (std::size_t i = 0; i < kept; ++i)
      row[i] += attention.values[start + i] / static_cast<float>(count);
  }
  return row;
}

std::vector<float> onWholeGrid(const KeptAttention& attention, const std::vector<float>& row) {
  std::vector<float> values;
  for (int token = attention.grid.prefix; token < attention.grid.tokens(); ++token) {
    const int place = attention.places[static_cast<std::size_t>(token)];
    values.push_back(place < 0 ? std::numeric_limits<float>::quiet_NaN()
                               : row[static_cast<std::size_t>(place)]);
  }
  return values;
}

std::string keptCaption(const KeptAttention& attention, const KeptQuery& query) {
  const std::string heads = query.head < 0
                                ? tr("mean of ") + std::to_string(attention.heads) + tr(" heads")
                                : tr("head ") + std::to_string(query.head);
  return tr("layer ") + std::to_string(attention.layer) + ", " + heads + ", " +
         tokenText(query.token, attention.grid) + tr(": attention among the ") +
         std::to_string(attention.kept()) + tr(" kept tokens; the ") +
         std::to_string(attention.grid.tokens() - attention.kept()) +
         tr(" dropped patches are gray, no token attends to them");
}

}  // namespace

int KeptAttention::kept() const {
  return static_cast<int>(
      std::count_if(places.begin(), places.end(), [](int place) { return place >= 0; }));
}

Result<DrawnKeptMap> drawKeptMap(const KeptAttention& attention, const KeptQuery& query,
                                 const Image& masked) {
  return guarded("a map of kept tokens", [&]() -> DrawnKeptMap {
    const int place = keptPlaceOf(attention, query);
    const std::vector<float> values =
        onWholeGrid(attention, rowAmongKept(attention, place, query.head));
    const DrawnMap drawn =
        drawnMap(values, attention.isSigned, MapStyle::Overlay, ColorMap::Viridis);
    return {values,
            overlay(masked, values, attention.grid.rows, attention.grid.cols, drawn.range,
                    drawn.colorMap, kKeptOpacity, /*smooth=*/false),
            keptCaption(attention, query)};
  });
}

}  // namespace headlight
