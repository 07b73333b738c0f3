// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/SegmenterAnswer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/models/backbones/Segmenter.h"
#include "core/models/segmentation/PixelClasses.h"
#include "core/workbench/session/ModelPass.h"
#include "core/workbench/session/Objects.h"

namespace headlight {
namespace {

/// Puts what was found at its place in an image that is ignored elsewhere.
ClassImage placed(const ClassImage& seen, const SegmentPlace& place) {
  ClassImage image{place.imageWidth, place.imageHeight, {}};
  image.classes.assign(static_cast<std::size_t>(image.width) * image.height, kIgnoredClass);
  for (int y = 0; y < place.height; ++y)
    std::copy_n(seen.classes.begin() + static_cast<std::ptrdiff_t>(y) * place.width, place.width,
                image.classes.begin() + (static_cast<std::ptrdiff_t>(place.top) + y) * image.width +
                    place.left);
  return image;
}

std::vector<std::uint8_t> maskBytes(const at::Tensor& mask) {
  const at::Tensor bytes =
      (mask.sigmoid() * 255).round().nan_to_num(0).to(at::kCPU, at::kByte).contiguous();
  return {bytes.data_ptr<std::uint8_t>(), bytes.data_ptr<std::uint8_t>() + bytes.numel()};
}

SegmentQuery queryOf(const at::Tensor& shares, const at::Tensor& mask,
                     const std::vector<std::string>& names) {
  SegmentQuery query;
  query.probabilities = plainValues(shares);
  const auto best = std::max_element(query.probabilities.begin(), query.probabilities.end());
  query.index = static_cast<int>(best - query.probabilities.begin());
  query.name = objectName(names, static_cast<std::size_t>(query.index));
  query.probability = *best;
  query.mask = maskBytes(mask);
  return query;
}

/// [Q, K]: of every class in a softmax over all and "none".
at::Tensor classShares(const at::Tensor& classes) {
  return classes.softmax(-1).narrow(-1, 0, classes.size(-1) - 1);
}

/// 4-byte numbers of the maps of one query.
std::int64_t cellsOfLayers(const DecoderMaps& maps) {
  std::int64_t cells = 0;
  for (const Grid& grid : maps.grids)
    cells += grid.patches();
  return cells;
}

/// With the padding, which reaches beyond the image.
std::array<double, 4> shareOfImage(const SegmentPlace& place, const SeenSegments& seen) {
  const double width = place.imageWidth, height = place.imageHeight;
  return {place.left / width, place.top / height,
          place.width / width * double(seen.width) / double(seen.shownWidth),
          place.height / height * double(seen.height) / double(seen.shownHeight)};
}

}  // namespace

SegmentPlace segmentPlace(int imageWidth, int imageHeight, const std::array<double, 4>& region,
                          std::int64_t most) {
  const double pixels = static_cast<double>(imageWidth) * imageHeight;
  const double factor = most > 0 && pixels > static_cast<double>(most)
                            ? std::sqrt(static_cast<double>(most) / pixels)
                            : 1;
  const auto scaled = [factor](double value) {
    return static_cast<int>(std::lround(value * factor));
  };
  SegmentPlace place;
  place.imageWidth = std::max(1, scaled(imageWidth));
  place.imageHeight = std::max(1, scaled(imageHeight));
  place.left = std::clamp(scaled(region[0]), 0, place.imageWidth - 1);
  place.top = std::clamp(scaled(region[1]), 0, place.imageHeight - 1);
  place.width =
      std::clamp(scaled(region[0] + region[2]) - place.left, 1, place.imageWidth - place.left);
  place.height =
      std::clamp(scaled(region[1] + region[3]) - place.top, 1, place.imageHeight - place.top);
  return place;
}

SegmentPlace placeOfSegments(const Image& image, const Preprocessing& preprocessing,
                             std::int64_t most) {
  const auto region = preprocessing.pad
                          ? std::array<double, 4>{0, 0, double(image.width), double(image.height)}
                          : evaluationRegion(image.width, image.height, preprocessing);
  return segmentPlace(image.width, image.height, region, most);
}

SeenSegments seenSegments(const Image& image, const Preprocessing& preprocessing) {
  if (!preprocessing.pad)
    return {preprocessing.height, preprocessing.width, preprocessing.height, preprocessing.width};
  const PaddedSize size = paddedSize(image.width, image.height, preprocessing);
  return {size.wholeHeight, size.wholeWidth, size.height, size.width};
}

FoundSegments segmentsOf(const SegmentScores& scores, std::int64_t image, const SeenSegments& seen,
                         const SegmentPlace& place, const std::vector<std::string>& names) {
  const at::Tensor classes = scores.classes.back()[image], masks = scores.masks.back()[image];
  const SurePixels best = surePixelClasses(
      scores, image,
      {seen.height, seen.width, seen.shownHeight, seen.shownWidth, place.height, place.width});
  FoundSegments found;
  found.image = placed(best.classes, place);
  found.classes = segmentClasses(best.classes, best.shares, names);
  const at::Tensor shares = classShares(classes);
  for (std::int64_t q = 0; q < classes.size(0); ++q)
    found.queries.push_back(queryOf(shares[q], masks[q], names));
  found.maskRows = static_cast<int>(masks.size(1));
  found.maskCols = static_cast<int>(masks.size(2));
  found.seen = shareOfImage(place, seen);
  return found;
}

SegmentScores askQueries(Model& model, const at::Tensor& tokens, DecoderMaps* maps) {
  auto* segmenter = maps ? dynamic_cast<Segmenter*>(&model) : nullptr;
  if (!segmenter) return model.findSegments(tokens);
  maps->meanOfHeads = true;
  return segmenter->findSegments(tokens, maps);
}

void keepDecoderMaps(const DecoderMaps& maps, std::int64_t image, int query, FoundSegments& found,
                     std::int64_t most) {
  const auto queries = static_cast<std::int64_t>(found.queries.size());
  const auto bytes = static_cast<std::int64_t>(sizeof(float)) * queries * cellsOfLayers(maps);
  const bool all = bytes <= most;
  found.decoderLayers = static_cast<int>(maps.cross.size());
  if (!all && (query < 0 || query >= queries)) return;
  found.decoderQuery = all ? -1 : query;
  for (std::size_t layer = 0; layer < maps.cross.size(); ++layer) {
    const at::Tensor map = maps.cross[layer][image][0];  // [Q, T]
    found.decoder.push_back({maps.grids[layer], plainValues(all ? map : map.narrow(0, query, 1))});
  }
}

}  // namespace headlight
