// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/PixelClasses.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

constexpr std::int64_t kMostScores = std::int64_t(1) << 26;  // at a time: 256 MB

/// Planes [C, h, w].
at::Tensor resizedPlanes(const at::Tensor& planes, std::int64_t height, std::int64_t width) {
  if (planes.size(1) == height && planes.size(2) == width) return planes;
  return at::upsample_bilinear2d(planes.unsqueeze(0), {height, width}, /*align_corners=*/false)
      .squeeze(0);
}

/// The greatest score of each pixel so far, whose it is, and, if wanted, the sum of all scores.
class BestScores {
 public:
  explicit BestScores(bool sums) : m_sums(sums) {}
  void add(const at::Tensor& scores, std::int64_t firstClass) {
    const auto [greatest, places] = scores.max(0);
    const at::Tensor classes = places + firstClass;
    if (!m_scores.defined())
      m_scores = greatest.clone().fill_(-1), m_classes = at::zeros_like(classes);
    const at::Tensor better = greatest > m_scores;
    m_scores = at::where(better, greatest, m_scores);
    m_classes = at::where(better, classes, m_classes);
    if (m_sums) addUp(scores);
  }
  const at::Tensor& classes() const { return m_classes; }
  at::Tensor shares() const { return m_scores / m_total.clamp_min(1e-12); }

 private:
  /// One class after the other, however many come at a time.
  void addUp(const at::Tensor& scores) {
    if (!m_total.defined()) m_total = at::zeros_like(scores[0]);
    for (std::int64_t k = 0; k < scores.size(0); ++k)
      m_total += scores[k];
  }

  bool m_sums;
  at::Tensor m_scores, m_classes, m_total;
};

/// σ of the masks [Q, h, w] where the picture is.
at::Tensor shownMasks(const at::Tensor& masks, const SeenPicture& seen) {
  return resizedPlanes(masks, seen.height, seen.width)
      .narrow(1, 0, seen.shownHeight)
      .narrow(2, 0, seen.shownWidth)
      .sigmoid();
}

BestScores bestScores(const SegmentScores& scores, std::int64_t image, const SeenPicture& seen,
                      bool sums) {
  const at::NoGradGuard noGrad;
  const at::Tensor logits = scores.classes.back()[image];
  const std::int64_t classes = logits.size(1) - 1;
  const at::Tensor shares = logits.softmax(1).narrow(1, 0, classes).t();
  const at::Tensor masks = shownMasks(scores.masks.back()[image], seen).flatten(1);
  const std::int64_t pixels = std::int64_t(seen.pictureHeight) * seen.pictureWidth;
  const std::int64_t most = std::clamp<std::int64_t>(kMostScores / std::max(pixels, masks.size(1)),
                                                     1, std::max<std::int64_t>(classes, 1));
  BestScores best(sums);
  for (std::int64_t first = 0; first < classes; first += most) {
    const at::Tensor some = shares.narrow(0, first, std::min(most, classes - first)).matmul(masks);
    best.add(resizedPlanes(some.view({-1, seen.shownHeight, seen.shownWidth}), seen.pictureHeight,
                           seen.pictureWidth),
             first);
  }
  return best;
}

ClassImage classImageOf(const BestScores& best, const SeenPicture& seen) {
  const at::Tensor found = best.classes().to(at::kCPU, at::kByte).contiguous();
  const auto* values = found.data_ptr<std::uint8_t>();
  return {seen.pictureWidth, seen.pictureHeight, {values, values + found.numel()}};
}

}  // namespace

ClassImage pixelClasses(const SegmentScores& scores, std::int64_t image, const SeenPicture& seen) {
  return classImageOf(bestScores(scores, image, seen, /*sums=*/false), seen);
}

SurePixels surePixelClasses(const SegmentScores& scores, std::int64_t image,
                            const SeenPicture& seen) {
  const at::NoGradGuard noGrad;
  const BestScores best = bestScores(scores, image, seen, /*sums=*/true);
  const at::Tensor shares = best.shares().to(at::kCPU, at::kFloat).contiguous();
  const auto* values = shares.data_ptr<float>();
  return {classImageOf(best, seen), {values, values + shares.numel()}};
}

}  // namespace headlight
