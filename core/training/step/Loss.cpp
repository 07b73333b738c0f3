// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Loss.h"

#include <ATen/Functions.h>
#include <ATen/core/Reduction.h>

#include <algorithm>

namespace headlight {

at::Tensor smoothedCrossEntropy(const at::Tensor& logits, const at::Tensor& labels,
                                double smoothing) {
  constexpr std::int64_t kIgnoreNone = -100;
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::Mean, kIgnoreNone, smoothing);
}

at::Tensor softDistillation(const at::Tensor& student, const at::Tensor& teacher,
                            double temperature) {
  // The released code of DeiT divides by B·C; Eq. 2 is of one image, so the mean is over B alone.
  const at::Tensor own = at::log_softmax(student / temperature, 1);
  const at::Tensor wanted = at::log_softmax(teacher / temperature, 1);
  const at::Tensor divergence = (wanted.exp() * (wanted - own)).sum(1);
  return divergence.mean() * (temperature * temperature);
}

at::Tensor featureDistillation(const at::Tensor& student, const at::Tensor& teacher) {
  return 1 - at::cosine_similarity(student, teacher, 1).mean();
}

at::Tensor hardDistillation(const at::Tensor& student, const at::Tensor& teacher) {
  return smoothedCrossEntropy(student, teacher.argmax(1), 0);
}

at::Tensor countTopK(const at::Tensor& logits, const at::Tensor& labels, std::int64_t k) {
  const std::int64_t kept = std::min(k, logits.size(1));
  const at::Tensor best = kept == 1 ? logits.argmax(1, true) : std::get<1>(logits.topk(kept, 1));
  return best.eq(labels.unsqueeze(1)).sum();
}

}  // namespace headlight
