// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Segments.h"

#include <algorithm>
#include <map>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/session/Objects.h"

namespace headlight {
namespace {

struct ClassSum {
  std::int64_t pixels = 0;
  double scores = 0;
};

/// The cell of `count` along a side that a place in [0, 1) lies in.
std::size_t cellAlong(double at, int count) {
  return static_cast<std::size_t>(std::clamp(static_cast<int>(at * count), 0, count - 1));
}

bool isInside(double x, double y) {
  return x >= 0 && x < 1 && y >= 0 && y < 1;
}

}  // namespace

bool segmentsImages(const ModelConfig& model) {
  return taskOf(model) == Task::Segment;
}

int classAt(const ClassImage& image, double x, double y) {
  if (image.empty() || !isInside(x, y)) return kIgnoredClass;
  return image.classes[cellAlong(y, image.height) * static_cast<std::size_t>(image.width) +
                       cellAlong(x, image.width)];
}

int queryAt(const FoundSegments& found, double x, double y) {
  const int index = classAt(found.image, x, y);
  const auto& [left, top, width, height] = found.seen;
  const double across = (x - left) / width, down = (y - top) / height;
  if (index == kIgnoredClass || found.maskRows == 0 || !isInside(across, down)) return -1;
  const std::size_t cell =
      cellAlong(down, found.maskRows) * static_cast<std::size_t>(found.maskCols) +
      cellAlong(across, found.maskCols);
  int best = -1;
  double most = -1;
  for (std::size_t q = 0; q < found.queries.size(); ++q) {
    const SegmentQuery& query = found.queries[q];
    const double score =
        double{query.probabilities[static_cast<std::size_t>(index)]} * query.mask[cell];
    if (score > most) most = score, best = static_cast<int>(q);
  }
  return best;
}

std::vector<float> decoderMap(const FoundSegments& found, int query, int layer) {
  const bool all = found.decoderQuery < 0;
  if (layer < 0 || layer >= static_cast<int>(found.decoder.size()) || query < 0 ||
      query >= static_cast<int>(found.queries.size()) || (!all && query != found.decoderQuery))
    return {};
  const DecoderLayerMaps& maps = found.decoder[static_cast<std::size_t>(layer)];
  const auto begin =
      maps.values.begin() + static_cast<std::ptrdiff_t>(all ? query : 0) * maps.grid.patches();
  return {begin, begin + maps.grid.patches()};
}

std::string decoderMapTitle(const FoundSegments& found, int query, int layer) {
  constexpr int kMaskStride = 4;
  const Grid& grid = found.decoder[static_cast<std::size_t>(layer)].grid;
  return tr("query ") + std::to_string(query) + tr(" in decoder layer ") + std::to_string(layer) +
         tr(" · mean of heads · level of stride ") +
         std::to_string(kMaskStride * found.maskRows / grid.rows);
}

std::string decoderMapMeaning(int layer) {
  const std::string before = layer > 0 ? tr("after decoder layer ") + std::to_string(layer - 1)
                                       : std::string(tr("before the first decoder layer"));
  return tr("Cross-attention of a query of the decoder: it looks only within the mask that it "
            "found ") +
         before + tr(", or everywhere if that mask is empty.");
}

std::vector<SegmentClass> segmentClasses(const ClassImage& image, const std::vector<float>& scores,
                                         const std::vector<std::string>& names) {
  std::map<int, ClassSum> sums;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < image.classes.size(); ++i) {
    if (image.classes[i] == kIgnoredClass) continue;
    ClassSum& sum = sums[image.classes[i]];
    ++sum.pixels, ++all;
    sum.scores += scores[i];
  }
  std::vector<SegmentClass> classes;
  for (const auto& [index, sum] : sums)
    classes.push_back({index, objectName(names, static_cast<std::size_t>(index)),
                       static_cast<double>(sum.pixels) / static_cast<double>(all),
                       sum.scores / static_cast<double>(sum.pixels)});
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return classes;
}

}  // namespace headlight
