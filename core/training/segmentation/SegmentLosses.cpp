// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segmentation/SegmentLosses.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Random.h"
#include "core/training/segmentation/MaskPoints.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMatchPurpose = 0x6d61746368ULL;  // "match"
constexpr std::uint64_t kLossPurpose = 0x6c6f7373ULL;     // "loss"

at::Tensor indexTensor(const std::vector<std::int64_t>& values, const at::Tensor& beside) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong).to(beside.device());
}

/// Queries that learn a mask, and which of the true ones it is.
struct MatchedPairs {
  std::vector<std::int64_t> queries, masks;
};

MatchedPairs pairsOf(const MaskLogits& said, const TrueMasks& truth, std::int64_t points,
                     std::uint64_t key) {
  MatchedPairs pairs;
  if (truth.labels.empty()) return pairs;
  const at::Tensor places = drawnPoints(key, 1, points, said.masks.options()).squeeze(0);
  const auto queries = matchedQueries(matchingCosts(said, truth, places));
  for (std::size_t mask = 0; mask < queries.size(); ++mask) {
    if (queries[mask] < 0) continue;
    pairs.queries.push_back(queries[mask]);
    pairs.masks.push_back(static_cast<std::int64_t>(mask));
  }
  return pairs;
}

at::Tensor classLoss(const at::Tensor& logits, const TrueMasks& truth, const MatchedPairs& pairs) {
  const std::int64_t none = logits.size(1) - 1;
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(logits.size(0)), none);
  for (std::size_t i = 0; i < pairs.queries.size(); ++i)
    wanted[static_cast<std::size_t>(pairs.queries[i])] =
        truth.labels[static_cast<std::size_t>(pairs.masks[i])];
  const at::Tensor labels = indexTensor(wanted, logits).unsqueeze(1);
  const at::Tensor losses = logits.log_softmax(1).gather(1, labels).neg();
  return at::where(labels == none, losses * kNoneWeight, losses).sum();
}

/// Of logits and truth [N, P].
at::Tensor maskLoss(const at::Tensor& logits, const at::Tensor& truth) {
  return (at::softplus(logits) - logits * truth).mean(1).sum();
}

at::Tensor diceLoss(const at::Tensor& logits, const at::Tensor& truth) {
  const at::Tensor found = logits.sigmoid();
  const at::Tensor shared = (found * truth).sum(1);
  return (1 - (2 * shared + 1) / (found.sum(1) + truth.sum(1) + 1)).sum();
}

/// Of one prediction for one image.
SegmentLossSums imageSums(const MaskLogits& said, const TrueMasks& truth, PointKeys keys) {
  const std::int64_t points = maskPoints(truth.masks.size(1), truth.masks.size(2), keys.most);
  const MatchedPairs pairs = pairsOf(said, truth, points, keys.matching);
  SegmentLossSums sums;
  sums.classes = classLoss(said.classes, truth, pairs);
  const at::Tensor masks = said.masks.index_select(0, indexTensor(pairs.queries, said.masks));
  if (pairs.queries.empty()) {
    sums.masks = sums.dice = masks.sum();  // 0, with a gradient of zeros
    return sums;
  }
  const at::Tensor places = uncertainPoints(masks, points, keys.losses);
  const at::Tensor logits = atOwnPoints(masks, places);
  const at::Tensor wanted =
      atOwnPoints(truth.masks.index_select(0, indexTensor(pairs.masks, truth.masks)), places);
  sums.masks = maskLoss(logits, wanted);
  sums.dice = diceLoss(logits, wanted);
  return sums;
}

void addTo(at::Tensor& sum, const at::Tensor& more) {
  sum = sum.defined() ? sum + more : more;
}

}  // namespace

PointKeys pointKeys(const PointSeeds& seeds, std::size_t image, std::size_t prediction) {
  const auto row = static_cast<std::uint64_t>(seeds.rows.at(image));
  return {streamKey({seeds.seed, row, prediction, kMatchPurpose}),
          streamKey({seeds.seed, row, prediction, kLossPurpose}), seeds.most};
}

SegmentLossSums sumSegmentLosses(const SegmentScores& scores, const at::Tensor& segments,
                                 const PointSeeds& seeds) {
  SegmentLossSums sums;
  const std::int64_t classes = scores.classes.front().size(2) - 1;
  for (std::int64_t image = 0; image < segments.size(0); ++image) {
    const at::Tensor seen = segments[image];
    const TrueMasks truth =
        trueMasks(seen, classesIn(seen, classes), scores.masks.front().options());
    for (std::size_t i = 0; i < scores.classes.size(); ++i) {
      const SegmentLossSums own =
          imageSums({scores.classes[i][image], scores.masks[i][image]}, truth,
                    pointKeys(seeds, static_cast<std::size_t>(image), i));
      addTo(sums.classes, own.classes);
      addTo(sums.masks, own.masks);
      addTo(sums.dice, own.dice);
    }
  }
  return sums;
}

SegmentDenominators SegmentDenominators::of(double share) const {
  return {std::max(masks, 1.0) * share, weights * share};
}

SegmentDenominators countSegments(const at::Tensor& segments, std::int64_t classes,
                                  std::int64_t queries) {
  SegmentDenominators counts;
  for (std::int64_t image = 0; image < segments.size(0); ++image) {
    const auto masks = static_cast<std::int64_t>(classesIn(segments[image], classes).size());
    const auto matched = static_cast<double>(std::min(masks, queries));
    counts.masks += static_cast<double>(masks);
    counts.weights += matched + kNoneWeight * (static_cast<double>(queries) - matched);
  }
  return counts;
}

SegmentLosses segmentLosses(const SegmentLossSums& sums, const SegmentDenominators& denominators) {
  return {sums.classes * (kClassWeight / denominators.weights),
          sums.masks * (kMaskWeight / denominators.masks),
          sums.dice * (kDiceWeight / denominators.masks)};
}

at::Tensor SegmentLosses::total() const {
  return classes + masks + dice;
}

}  // namespace headlight
