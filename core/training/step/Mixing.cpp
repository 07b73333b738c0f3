// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Mixing.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

#include "core/training/step/Loss.h"

namespace headlight {
namespace {

/// log of a draw from Gamma(shape, 1), shape ≥ 1 (Marsaglia and Tsang 2000).
double logGamma(RandomStream& stream, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = stream.normal();
    const double root = 1.0 + c * x;
    const double u = 1.0 - stream.uniform();  // in (0, 1]
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

at::Tensor blended(const at::Tensor& images, double share) {
  return images * share + images.flip(0) * (1 - share);
}

at::Tensor withBox(const at::Tensor& images, const Mix& mix) {
  const auto boxOf = [&](const at::Tensor& batch) {
    return batch.slice(2, mix.top, mix.bottom).slice(3, mix.left, mix.right);
  };
  at::Tensor result = images.clone();
  boxOf(result).copy_(boxOf(images).flip(0));
  return result;
}

}  // namespace

double symmetricBeta(RandomStream& stream, double alpha) {
  // X / (X + Y) of two Gamma(α). Below 1, Gamma(α) = Gamma(α + 1) · U^(1/α), which underflows for
  // small α: hence all in logarithms, and the difference taken before the division.
  const bool small = alpha < 1;
  const double shape = small ? alpha + 1 : alpha;
  double odds = logGamma(stream, shape);
  odds -= logGamma(stream, shape);
  if (small) {
    double boost = std::log(1.0 - stream.uniform());
    boost -= std::log(1.0 - stream.uniform());
    odds += boost / alpha;
  }
  return 1.0 / (1.0 + std::exp(-odds));
}

Mix cutAround(double share, std::int64_t y, std::int64_t x, std::int64_t height,
              std::int64_t width) {
  const double ratio = std::sqrt(1 - share);
  const auto halfHeight = static_cast<std::int64_t>(static_cast<double>(height) * ratio) / 2;
  const auto halfWidth = static_cast<std::int64_t>(static_cast<double>(width) * ratio) / 2;
  Mix mix;
  mix.cut = true;
  mix.top = std::max<std::int64_t>(y - halfHeight, 0);
  mix.bottom = std::min(y + halfHeight, height);
  mix.left = std::max<std::int64_t>(x - halfWidth, 0);
  mix.right = std::min(x + halfWidth, width);
  const std::int64_t area = (mix.bottom - mix.top) * (mix.right - mix.left);
  mix.share = 1 - static_cast<double>(area) / static_cast<double>(height * width);
  return mix;
}

Mix drawMix(const TrainingConfig& config, std::int64_t height, std::int64_t width,
            std::uint64_t key) {
  const bool mixup = config.mixupAlpha > 0, cutmix = config.cutmixAlpha > 0;
  if (!mixup && !cutmix) return {};
  RandomStream stream(key);
  const bool cut = cutmix && (!mixup || stream.uniform() < 0.5);
  Mix mix;
  mix.share = symmetricBeta(stream, cut ? config.cutmixAlpha : config.mixupAlpha);
  if (!cut) return mix;
  const std::int64_t y = stream.below(height), x = stream.below(width);
  return cutAround(mix.share, y, x, height, width);
}

at::Tensor mixedImages(const at::Tensor& images, const Mix& mix) {
  if (!mix.mixes()) return images;
  return mix.cut ? withBox(images, mix) : blended(images, mix.share);
}

MixedBatch mixedBatch(const at::Tensor& images, const at::Tensor& labels, const Mix& mix) {
  if (!mix.mixes()) return {images, labels, {}, 1};
  return {mixedImages(images, mix), labels, labels.flip(0), mix.share};
}

MixedBatch MixedBatch::part(std::int64_t first, std::int64_t count) const {
  const auto cut = [&](const at::Tensor& rows) {
    return rows.defined() ? rows.narrow(0, first, count) : rows;
  };
  return {cut(images), cut(labels), cut(partners), share, cut(wanted), cut(wantedPartners)};
}

void MixedBatch::addWanted(const at::Tensor& rows) {
  wanted = rows;
  if (partners.defined()) wantedPartners = rows.flip(0);
}

at::Tensor mixedCrossEntropy(const at::Tensor& logits, const MixedBatch& batch, double smoothing) {
  at::Tensor own = smoothedCrossEntropy(logits, batch.labels, smoothing);
  if (!batch.partners.defined()) return own;
  // Cross-entropy is linear in its target: the mean of two losses is the loss of the mixed target.
  return batch.share * own +
         (1 - batch.share) * smoothedCrossEntropy(logits, batch.partners, smoothing);
}

}  // namespace headlight
